import { randomBytes } from "node:crypto";
import pg from "pg";

/** A database of its own for one test file, cloned from the migrated template. */
export interface TestDatabase {
  /** Connection URLs by role. */
  superuser: string;
  owner: string;
  application: string;
  drop(): Promise<void>;
}

const withDatabase = (url: string, database: string): string => url.replace(/\/[^/?]*(?=\?|$)/, `/${database}`);
const base = (role: string): string => {
  const url = process.env[`TEST_${role}_URL`];
  if (!url) throw new Error("run the tests with `npm test`: it starts the PostgreSQL they need");
  return url;
};

/**
 * Clones the template by copying files: writing it to the WAL page by page costs twice the processor time, and no test data has to survive.
 * @param template another database to clone, for instance a large one several files share
 */
export async function cloneDatabase(template = "kantoor_template"): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString("hex")}`;
  const admin = new pg.Client({ connectionString: base("SUPERUSER") });
  await admin.connect();
  await admin.query(`create database ${name} template ${template} owner kantoor_owner strategy file_copy`);
  await admin.query(`grant connect on database ${name} to kantoor_app`);
  await admin.end();
  return {
    superuser: withDatabase(base("SUPERUSER"), name),
    owner: withDatabase(base("OWNER"), name),
    application: withDatabase(base("APPLICATION"), name),
    async drop() {
      const dropping = new pg.Client({ connectionString: base("SUPERUSER") });
      await dropping.connect();
      await dropping.query(`drop database ${name} with (force)`);
      await dropping.end();
    },
  };
}
