import { type Setting, secretSetting, setting } from "./setting.ts";
import { bucket, flag, node, oneOf, origins, region, service, text, whole } from "./values.ts";

/** Requests, stored files, the log and the identity of a node. */
export const operationSettings = {
  bodyLimit: setting("SERVICE_BODY_LIMIT", "1048576", whole(1024, 104857600), "Largest JSON or form body in bytes"),
  uploadLimit: setting("SERVICE_UPLOAD_LIMIT", "10485760", whole(1024, 1073741824), "Largest uploaded file in bytes"),
  filesBucket: setting("SERVICE_FILES_BUCKET", undefined, bucket, "S3 bucket new files go to; unset: the data folder"),
  filesRegion: setting("SERVICE_FILES_REGION", "eu-central-1", region, "Region of the bucket"),
  filesKeyId: setting(
    "SERVICE_FILES_KEY_ID",
    undefined,
    text,
    "Access key of the bucket; unset: the credentials of the machine, such as an instance role",
  ),
  filesKeySecret: secretSetting("SERVICE_FILES_KEY_SECRET", text, "Secret of that key"),
  storageApiUrl: setting(
    "SERVICE_STORAGE_API_URL",
    undefined,
    service,
    "S3-compatible service of the bucket; unset: Amazon's in the region",
  ),
  organisationBackupDays: setting(
    "SERVICE_ORGANISATION_BACKUP_DAYS",
    "30",
    whole(1, 3650),
    "Days that a backup of one organisation is kept (docs/operating/backup.md)",
  ),
  requestTimeout: setting("SERVICE_REQUEST_TIMEOUT_MS", "30000", whole(100, 600000), "Time one request may take"),
  shutdownDelay: setting(
    "SERVICE_SHUTDOWN_DELAY_MS",
    "0",
    whole(0, 60000),
    "How long a stopping node still serves while `/health/ready` answers 503, so that a proxy sends its requests elsewhere",
  ),
  corsOrigins: setting(
    "SERVICE_CORS_ORIGINS",
    undefined,
    origins,
    "Origins whose pages can call the API from a browser, separated by commas; unset: none",
  ),
  logLevel: setting(
    "SERVICE_LOG_LEVEL",
    "info",
    oneOf("fatal", "error", "warn", "info", "debug", "trace", "silent"),
    "Least severe log line written; `info` has a line per request",
  ),
  countStatements: setting(
    "SERVICE_COUNT_STATEMENTS",
    "false",
    flag,
    "Answer `X-Statements`, how many SQL statements a call took on the nodes of its actors; for tests",
  ),
  slowStatement: setting(
    "SERVICE_SLOW_STATEMENT_MS",
    "1000",
    whole(0, 600000),
    "SQL statements that take at least this many milliseconds are logged with their action, without values; 0: none",
  ),
  environment: setting("SERVICE_ENVIRONMENT", "production", text, "Name of the installation shown by `system/info`"),
  nodeId: setting(
    "SERVICE_NODE_ID",
    undefined,
    node,
    "Name of this node among several; unset: built from host name and process id",
  ),
  gitSha: setting("SERVICE_GIT_SHA", undefined, text, "Commit the installation was built from, shown by `system/info`"),
  updateApiUrl: setting(
    "SERVICE_UPDATE_API_URL",
    undefined,
    service,
    "Where to ask daily for a newer version, such as `https://api.github.com/repos/<owner>/<name>`; unset: the service does not ask, nor without `SERVICE_GIT_SHA`",
  ),
} as const satisfies Record<string, Setting<unknown>>;
