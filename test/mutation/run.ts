import { parseArgs } from "node:util";
import { CHECKS } from "./checks.ts";
import { checkMutants, type MutationCheck } from "./mutants.ts";

const HELP = `npm run mutation -- [name] [part of a file name]
Each mutant changes one rule in a temporary copy of the source, and the unit tests must notice.
Names: ${Object.keys(CHECKS).join(", ")}; all without one.
Exits with 1 when too many survive, with 2 when a mutant no longer fits its source or the tests are red without one.`;

const { values, positionals } = parseArgs({ options: { help: { type: "boolean", default: false } }, allowPositionals: true });
const [name, part] = positionals;
const wanted = name === undefined ? Object.keys(CHECKS) : [name];
if (values.help || !wanted.every((one) => Object.hasOwn(CHECKS, one))) {
  console.log(HELP);
  process.exit(values.help ? 0 : 2);
}
for (const one of wanted) {
  console.log(one);
  process.exitCode = Math.max(Number(process.exitCode ?? 0), checkMutants(CHECKS[one] as MutationCheck, part));
}
