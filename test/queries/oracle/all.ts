import * as access from "./access.ts";
import * as accounts from "./accounts.ts";
import * as changeHits from "./change-hits.ts";
import * as denialHits from "./denial-hits.ts";
import * as denials from "./denials.ts";
import * as downloads from "./downloads.ts";
import * as egress from "./egress.ts";
import * as keyHits from "./key-hits.ts";
import * as lists from "./lists.ts";
import * as log from "./log.ts";
import { massDeletion } from "./losses.ts";
import { monitoringChanges, monitoringDisabled } from "./monitoring.ts";
import * as needless from "./needless.ts";
import * as networks from "./networks.ts";
import * as objects from "./objects.ts";
import * as peopleHits from "./people-hits.ts";
import * as people from "./people.ts";
import * as permissions from "./permission-changes.ts";
import { permissionEditsByDay, permissionEditsList } from "./permission-edits.ts";
import * as policies from "./policy-access.ts";
import * as activity from "./query-activity.ts";
import type { Oracle } from "./rows.ts";
import * as sequels from "./sequels.ts";
import { shortRights, shortRightsUsed } from "./short-rights.ts";
import * as signInHits from "./sign-in-hits.ts";
import * as signIns from "./sign-ins.ts";
import * as tables from "./tables.ts";
import * as taken from "./taken-out.ts";
import * as timelines from "./timelines.ts";

/** The oracle of every report, by the report's name. */
export const oracles: Readonly<Record<string, Oracle>> = {
  database_access: access.databaseAccess,
  effective_permissions: policies.effectivePermissions,
  full_access_holders: access.fullAccessHolders,
  permission_drift: policies.permissionDrift,
  unexplained_right: policies.unexplainedRight,
  departed_rights: needless.departedRights,
  redundant_rights: needless.redundantRights,
  rights_on_gone_databases: needless.rightsOnGoneDatabases,
  service_account_access: accounts.serviceAccountAccess,
  unused_rights: needless.unusedRights,
  two_step_grants: accounts.twoStepGrants,
  short_rights: shortRights,
  short_rights_used: shortRightsUsed,
  unheld_policies: policies.unheldPolicies,
  unused_grants: access.unusedGrants,
  user_permissions: access.userPermissions,
  column_visibility_denials: denials.columnVisibilityDenials,
  denials_by_actor: denials.denialsByActor,
  denials_by_day: denials.denialsByDay,
  denials_by_operation: denials.denialsByOperation,
  denials_by_resource: denials.denialsByResource,
  denials_list: denials.denialsList,
  failed_sign_ins_then_success: signIns.failedSignInsThenSuccess,
  new_denials: denials.newDenials,
  probing: denials.probing,
  repeated_denials: denialHits.repeatedDenials,
  hidden_columns_probed: denialHits.hiddenColumnsProbed,
  denied_then_allowed: denialHits.deniedThenAllowed,
  slow_password_guessing: signInHits.slowPasswordGuessing,
  password_spraying: signInHits.passwordSpraying,
  blocked_sign_ins: signInHits.blockedSignIns,
  many_networks: signInHits.manyNetworks,
  full_access_new_address: peopleHits.fullAccessNewAddress,
  dormant_account_active: peopleHits.dormantAccountActive,
  deleted_user_active: peopleHits.deletedUserActive,
  api_key_of_another: keyHits.apiKeyOfAnother,
  api_keys_harvested: keyHits.apiKeysHarvested,
  service_keys_created: keyHits.serviceKeysCreated,
  owner_password_reset: keyHits.ownerPasswordReset,
  result_downloads_refused: denials.resultDownloadsRefused,
  sign_ins_blocked_by_address: signIns.signInsBlockedByAddress,
  address_list_changes: signIns.addressListChanges,
  mass_permission_changes: changeHits.massPermissionChanges,
  self_grant_then_download: changeHits.selfGrantThenDownload,
  sign_in_rules_changed: changeHits.signInRulesChanged,
  new_user_full_access: changeHits.newUserFullAccess,
  audit_log_read: changeHits.auditLogRead,
  outside_invitation: changeHits.outsideInvitation,
  administrator_granted: accounts.administratorGranted,
  administrator_changes: permissions.administratorChanges,
  database_shares: permissions.databaseShares,
  dormant_user_grants: permissions.dormantUserGrants,
  full_access_granted: permissions.fullAccessGranted,
  off_hours_permission_changes: permissions.offHoursPermissionChanges,
  permission_changes_by_actor: permissions.permissionChangesByActor,
  permission_changes_list: permissions.permissionChangesList,
  permission_edits_by_day: permissionEditsByDay,
  permission_edits_list: permissionEditsList,
  policy_membership: permissions.policyMembership,
  self_grants: permissions.selfGrants,
  api_key_events: people.apiKeyEvents,
  inactive_users: people.inactiveUsers,
  new_addresses: people.newAddresses,
  sign_ins_by_address: people.signInsByAddress,
  connection_changes: egress.connectionChanges,
  downloads_by_day: egress.downloadsByDay,
  first_downloads: egress.firstDownloads,
  large_downloads: taken.largeDownloads,
  new_http_host: taken.newHttpHost,
  new_script_image: taken.newScriptImage,
  table_export: taken.tableExport,
  workflow_mail_outside: taken.workflowMailOutside,
  address_timeline: timelines.addressTimeline,
  job_timeline: timelines.jobTimeline,
  resource_timeline: timelines.resourceTimeline,
  user_timeline: timelines.userTimeline,
  activity_by_day: activity.activityByDay,
  busiest_hours: activity.busiestHours,
  first_database_use: activity.firstDatabaseUse,
  grant_then_download: downloads.grantThenDownload,
  killed_and_failed_jobs: activity.killedAndFailedJobs,
  long_jobs: activity.longJobs,
  off_hours_activity: activity.offHoursActivity,
  queries_by_database: activity.queriesByDatabase,
  queries_by_user: activity.queriesByUser,
  queries_with_text: activity.queriesWithText,
  result_downloads: downloads.resultDownloads,
  result_exports: downloads.resultExports,
  destructive_statements: tables.destructiveStatements,
  first_table_use: tables.firstTableUse,
  sensitive_column_reads: tables.sensitiveColumnReads,
  sensitive_read_then_export: tables.sensitiveReadThenExport,
  table_readers: tables.tableReaders,
  tables_touched: tables.tablesTouched,
  unread_tables: tables.unreadTables,
  created_objects: objects.createdObjects,
  data_imports: objects.dataImports,
  deletions: objects.deletions,
  mass_deletion: massDeletion,
  table_exports: objects.tableExports,
  monitoring_changes: monitoringChanges,
  monitoring_disabled: monitoringDisabled,
  shared_addresses: networks.sharedAddresses,
  use_outside_networks: networks.useOutsideNetworks,
  account_changes: lists.accountChanges,
  activation_downloads: lists.activationDownloads,
  activations_run: lists.activationsRun,
  active_users: lists.activeUsers,
  api_key_then_new_address: sequels.apiKeyThenNewAddress,
  audit_log_downloads: lists.auditLogDownloads,
  connections_used_at_once: sequels.connectionsUsedAtOnce,
  denials_by_hour: lists.denialsByHour,
  first_seen: lists.firstSeen,
  invitations: lists.invitations,
  saved_query_changes: lists.savedQueryChanges,
  workflow_http_calls: lists.workflowHttpCalls,
  workflow_mails: lists.workflowMails,
  zero_copy_changes: lists.zeroCopyChanges,
  altered_log: log.alteredLog,
  silent_event: log.silentEvent,
  conflicting_ids: log.conflictingIds,
  events_by_day: log.eventsByDay,
  unusual_volumes: log.unusualVolumes,
  unknown_events: log.unknownEvents,
  undocumented_operations: log.undocumentedOperations,
};
