import { readWork, type Sent, type Share } from "./children.ts";

// A process of its own: does the share that it is sent by the work of the module that it is called with, and ends.
const [, , file = ""] = process.argv;

process.once("message", (share: Share) => {
  const send = (message: Sent): void => void process.send?.(message);
  void readWork(file)
    .then((work) => work(share, (line) => send({ line })))
    .then((measured) => {
      send({ measured });
      process.disconnect();
    });
});
