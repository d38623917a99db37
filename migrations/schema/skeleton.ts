import type { Difference } from "./differences.ts";

/** Says what the author of a step has to look at; PostgreSQL cannot decide it. */
const REMINDER = `Written from the models: add defaults, indexes, references and checks, and drop a column only when no node of the version before
 * reads it. Then \`npm run schema -- baseline\`.`;

/**
 * The text of a step that brings the database to the models.
 * @returns null if no statement would bring them together
 */
export function skeletonOf(differences: readonly Difference[]): string | null {
  const statements = differences.flatMap(({ statement }) => statement ?? []);
  if (statements.length === 0) return null;
  const isOfOrganisations = (statement: string) => statement.includes("organisation_id uuid not null references organisations");
  const tenants = differences.flatMap(({ table, statement = "" }) => (isOfOrganisations(statement) ? [table] : []));
  const lines = statements.flatMap((statement) => statement.split("\n")).map((line) => `      ${line}`);
  return [
    tenants.length > 0 ? 'import { type Step, tenantTable } from "./step.ts";' : 'import type { Step } from "./step.ts";',
    "",
    `/**\n * ${REMINDER}\n */`,
    "const step: Step = {",
    `  async up({ sql${tenants.length > 0 ? ", application" : ""} }) {`,
    `    await sql(\`\n${lines.join("\n")}\`);`,
    ...tenants.map((table) => `    await sql(tenantTable("${table}", application));`),
    "  },",
    "};",
    "",
    "export default step;",
    "",
  ].join("\n");
}
