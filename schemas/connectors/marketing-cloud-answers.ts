import { z } from "zod";

// The used fields of answers of the marketing cloud; further fields are ignored.

const seconds = z.number().positive();

/** `POST /v2/token` of an enhanced package. */
export const enhancedToken = z.object({
  access_token: z.string().min(1),
  expires_in: seconds,
  rest_instance_url: z.string(),
  soap_instance_url: z.string(),
});

/** `POST /v1/requestToken` of a legacy package. */
export const legacyToken = z.object({ accessToken: z.string().min(1), expiresIn: seconds });

const extension = z.object({
  id: z.string(),
  key: z.string(),
  name: z.string(),
  categoryId: z.coerce.number().optional(),
});

/** `GET /data/v1/customobjects?$search=`, one page. */
export const extensionList = z.object({ count: z.number(), items: z.array(extension) });

/** `POST /data/v1/customobjects`. */
export const createdExtension = extension;

const field = z.object({
  name: z.string(),
  type: z.string(),
  length: z.number().nullish(),
  scale: z.number().nullish(),
  isPrimaryKey: z.boolean().default(false),
  isNullable: z.boolean().default(true),
  defaultValue: z.string().nullish(),
});

export type FieldAnswer = z.infer<typeof field>;

/** `GET /data/v1/customobjects/{id}/fields`. */
export const fieldList = z.object({ fields: z.array(field) });

/** `PUT /data/v1/async/dataextensions/key:{key}/rows`. */
export const acceptedRows = z.object({ requestId: z.string().min(1) });

/** `GET /data/v1/async/{requestId}/status`; an id that is not known has messages in place of a status. */
export const requestState = z.object({
  status: z
    .object({
      requestStatus: z.enum(["Pending", "Executing", "Complete", "Error"]),
      hasErrors: z.boolean().optional(),
    })
    .optional(),
  resultMessages: z.array(z.unknown()).default([]),
});

/** `GET /data/v1/async/{requestId}/results?page=n`, one item per row. */
export const requestResults = z.object({
  count: z.number(),
  items: z.array(
    z.object({ status: z.string(), errorCode: z.union([z.string(), z.number()]).nullish() }),
  ),
});

/** The body of an error. */
export const errorAnswer = z.object({
  message: z.string().optional(),
  errorcode: z.union([z.string(), z.number()]).optional(),
});
