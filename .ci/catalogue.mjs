// Compares what the modules declare with the permissions, roles, modules and errors of the contract: all of those must be there as they are;
// further ones may stand beside them.
//   node .ci/catalogue.mjs <folder of the contract>
import { readFileSync } from "node:fs";
import path from "node:path";
import { errorCatalogue } from "../core/declare/catalogue/catalogue.ts";
import { modules, permissions, systemRoles } from "../core/declare/permissions.ts";

const [folder] = process.argv.slice(2);
const read = (name) => JSON.parse(readFileSync(path.join(folder, name), "utf8"));
const contract = read("permissions.json");

const wanted = [
  ...contract.permissions.map(({ key, group, position, scopes, sku }) => ["permission", { key, group, position, scopes, sku }]),
  ...contract.modules.map(({ module, kind, sku, requires }) => ["module", { module, kind, sku, requires }]),
  ...contract.roles.flatMap(({ key, position, name, grants }) => [
    ["role", { key, position, name }],
    ...grants.map((grant) => ["grant", { role: key, grant }]),
  ]),
  ...read("errors.json").errors.map(({ code, status, messageKey: message }) => ["error", { code, status, message }]),
];
const declared = [
  ...permissions().map(({ key, group, position, scopes, sku }) => ["permission", { key, group, position, scopes, sku }]),
  ...modules().map(({ module, kind, sku, requires }) => ["module", { module, kind, sku, requires }]),
  ...systemRoles().flatMap(({ key, position, name, grants }) => [
    ["role", { key, position, name }],
    ...grants.map((grant) => ["grant", { role: key, grant }]),
  ]),
  ...errorCatalogue().map(({ code, status, message }) => ["error", { code, status, message }]),
];

const there = new Set(declared.map((one) => JSON.stringify(one)));
const missing = wanted.map((one) => JSON.stringify(one)).filter((one) => !there.has(one));
for (const one of missing) process.stdout.write(`  no module declares ${one}\n`);
process.stdout.write(
  `catalogue: ${wanted.length - missing.length} declarations of the contract are there, ${missing.length} are missing\n`,
);
process.exitCode = missing.length === 0 ? 0 : 1;
