import { nameOfError } from "../../errors/errors.ts";
import type { ModuleManifest } from "../module.ts";
import { DeclarationRefused, type Declared, errorsOf } from "./entries.ts";

/**
 * Checks that the declarations fit together.
 * @throws DeclarationRefused with a one-sentence message for a duplicate name, a module that is both built and planned, a missing
 * requirement, a permission under another module's name, and records or tables without a clear owner
 */
export function requireConsistent(
  all: readonly Declared[],
  built: readonly Declared[],
  named: ReadonlyMap<string, Declared>,
): void {
  requireUnique(all);
  for (const declared of all) requireOwnPrefix(declared, named);
  const byKey = new Map(built.map((declared) => [declared.manifest.key, declared]));
  for (const declared of built) requireRequired(declared, byKey);
  for (const declared of all) {
    requireOwnRecords(declared);
    requireOwnTables(declared);
  }
}

/** Names that only one manifest may declare, with the word that error messages use. */
const UNIQUE: readonly (readonly [what: string, names: (manifest: ModuleManifest) => readonly string[]])[] = [
  ["module", ({ key }) => [key]],
  ["permission", ({ permissions = {} }) => Object.keys(permissions)],
  ["error", (manifest) => errorsOf(manifest).map(nameOfError)],
  ["event", ({ events = {} }) => Object.keys(events)],
  ["action of automation", ({ automation = {} }) => Object.keys(automation.actions ?? {})],
  ["hook point", ({ hookPoints = [] }) => hookPoints],
  ["mail", ({ mails = {} }) => Object.keys(mails)],
  ["text message", ({ sms = {} }) => Object.keys(sms)],
  ["kind of record", ({ records = {} }) => Object.keys(records)],
  ["table", ({ tables = [] }) => tables],
  ["section of reports", ({ reportSections = {} }) => Object.keys(reportSections)],
  ["tag", ({ tags = {} }) => Object.keys(tags)],
  ["name of a path", ({ operationNames = {} }) => Object.keys(operationNames)],
];

/** @throws DeclarationRefused for a name that two manifests declare */
function requireUnique(all: readonly Declared[]): void {
  const first = new Map<string, string>();
  for (const { manifest, source } of all)
    for (const [what, names] of UNIQUE)
      for (const name of names(manifest)) {
        const before = first.get(`${what} ${name}`);
        if (before !== undefined)
          throw new DeclarationRefused(`The ${what} '${name}' is declared twice: in ${before} and in ${source}.`);
        first.set(`${what} ${name}`, source);
      }
}

/** @throws DeclarationRefused for a permission whose first part is not its module's name */
function requireOwnPrefix({ manifest, source }: Declared, named: ReadonlyMap<string, Declared>): void {
  for (const key of Object.keys(manifest.permissions ?? {})) {
    const [prefix = ""] = key.split(".");
    const owner = named.get(prefix);
    if (manifest.kind === "core" ? owner !== undefined : prefix !== manifest.key)
      throw new DeclarationRefused(
        `The permission '${key}' in ${source} does not belong to '${manifest.key}': its first part names ${owner ? "another" : "no"} module.`,
      );
  }
}

/** @throws DeclarationRefused for a module that requires one that does not exist */
function requireRequired({ manifest, source }: Declared, built: ReadonlyMap<string, Declared>): void {
  for (const needed of manifest.requires ?? [])
    if (!built.has(needed))
      throw new DeclarationRefused(`'${manifest.key}' in ${source} requires '${needed}', which no folder declares.`);
}

/** @throws DeclarationRefused for an event about another module's record, and for a record without clear access rules */
function requireOwnRecords({ manifest: { key, events = {}, records = {}, permissions = {} }, source }: Declared): void {
  for (const [kind, { seen, files, readers, client, trail, bulk }] of Object.entries(records)) {
    if (files && !seen) throw new DeclarationRefused(`'${kind}' in ${source} has files, but no action decides who can see them.`);
    if (readers && !Object.hasOwn(permissions, readers.permission))
      throw new DeclarationRefused(
        `Readers of '${kind}' in ${source} need '${readers.permission}', which is not a permission of '${key}'.`,
      );
    if (readers && client === undefined)
      throw new DeclarationRefused(`'${kind}' in ${source} has readers but does not declare its client.`);
    if (trail && !readers) throw new DeclarationRefused(`'${kind}' in ${source} has a trail and no readers.`);
    for (const permission of bulk ? [bulk.delete, bulk.update ?? bulk.delete] : [])
      if (!Object.hasOwn(permissions, permission))
        throw new DeclarationRefused(
          `The bulk edits of '${kind}' in ${source} need '${permission}', which is not a permission of '${key}'.`,
        );
  }
  for (const [name, { entity }] of Object.entries(events))
    if (entity !== null && !Object.hasOwn(records, entity))
      throw new DeclarationRefused(
        `The event '${name}' in ${source} is about '${entity}', which is not a kind of record of '${key}'.`,
      );
}

/** @throws DeclarationRefused if a module shows columns of a table it does not own */
function requireOwnTables({ manifest: { key, tables = [], shows = {} }, source }: Declared): void {
  for (const table of Object.keys(shows))
    if (!tables.includes(table))
      throw new DeclarationRefused(`'${key}' in ${source} shows '${table}', which is not one of its tables.`);
}
