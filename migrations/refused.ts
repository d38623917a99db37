/** The database cannot be used as it is; the message is one sentence that names the way out. */
export class MigrationRefused extends Error {
  override name = "MigrationRefused";
}
