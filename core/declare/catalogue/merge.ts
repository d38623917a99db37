import { ConfigurationError } from "../../config/config.ts";
import type { AutomationCatalogue } from "../automation.ts";
import type { EventJoinDeclaration, EventKind } from "../events.ts";
import type { MailKind, SmsKind } from "../messages.ts";
import type { DemoDeclaration, ErrorTexts, ModuleManifest, PermissionDeclaration, RecordDeclaration } from "../module.ts";
import { once } from "../once.ts";
import type { ReportSection } from "../report-sections.ts";
import { type GrantedRole, ROLES } from "../roles.ts";

/** The stored grant that satisfies every check; only the owner role holds it. */
export const WILDCARD = "*";

/** A manifest and its file, which error messages name. */
export interface Declared {
  manifest: ModuleManifest;
  source: string;
}

/** One permission of the catalogue; `scopes` is empty or `["own", "any"]`; `sku` is the licensed module, null when unlicensed. */
export interface Permission {
  key: string;
  group: string;
  position: number;
  scopes: string[];
  sku: string | null;
  /** Key of the manifest that declares it. */
  module: string;
  /** False while its module is only planned: it can be granted, but no action may require it. */
  built: boolean;
}

export interface SystemRole {
  key: string;
  position: number;
  name: Readonly<Record<string, string>>;
  grants: string[];
}

/** A module by the name that organisations and licences use; `core` is one module for all of that kind. */
export interface NamedModule {
  module: string;
  kind: ModuleManifest["kind"];
  sku: string | null;
  requires: readonly string[];
  permanent: boolean;
}

export interface ErrorEntry {
  code: string;
  status: number;
  message: string;
  /** Key of the manifest that declares it. */
  module: string;
  /** False while its module is only planned: it is in the catalogue, but no error can be created from it. */
  built: boolean;
}

/** A type of mail, and the module that must be enabled to offer it; null for one that is always offered. */
export type OfferedMail = MailKind & { module: string | null };

/** The merged declarations of all modules. */
export interface Catalogue {
  /** The manifests of built modules, by folder. */
  built: readonly Declared[];
  /** The permissions of kind `core` by position, then those of each module in turn. */
  permissions: readonly Permission[];
  systemRoles: readonly SystemRole[];
  modules: readonly NamedModule[];
  /** By status, code and message. */
  errors: readonly ErrorEntry[];
  /** When errors occur and what to do, by full name; planned modules have no texts. */
  errorTexts: ReadonlyMap<string, ErrorTexts[string]>;
  events: Readonly<Record<string, EventKind>>;
  /** The in-transaction hooks of modules for events, which run before the transaction commits. */
  joins: readonly EventJoinDeclaration[];
  /** What automation rules can start from and do; triggers and actions by position. */
  automation: AutomationCatalogue;
  /** The in-transaction hooks of modules in other modules' transactions, by moment. */
  effects: ReadonlyMap<string, readonly (() => Promise<unknown>)[]>;
  mails: Readonly<Record<string, OfferedMail>>;
  sms: Readonly<Record<string, SmsKind>>;
  /** Types of record by name; for planned modules, those with custom fields. */
  records: ReadonlyMap<string, RecordDeclaration>;
  /** By position. */
  demos: readonly DemoDeclaration[];
  /** Report sections of built modules, by position. */
  reportSections: readonly ReportSection[];
  tags: Readonly<Record<string, string>>;
  /** Descriptions of parameters by tag and name, and by name alone if only one module declares it: `tasks :label_id`, `:task_id`. */
  parameters: ReadonlyMap<string, string>;
}

/** The declarations of the modules do not fit together. The message is one sentence that names the files. */
export class DeclarationRefused extends ConfigurationError {
  override name = "DeclarationRefused";
}

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** `conflict errors.leave_overlap` of a manifest as an entry. */
function errorsOf({ key, errors = {} }: ModuleManifest): Omit<ErrorEntry, "built">[] {
  return Object.entries(errors).flatMap(([status, list]) =>
    list.map((declared) => {
      const [code = "", message = `errors.${code}`] = declared.split(" ");
      return { code, status: Number(status), message, module: key };
    }),
  );
}

/** The full name of an error: status, code and message. */
export const nameOfError = ({ status, code, message }: Pick<ErrorEntry, "status" | "code" | "message">): string =>
  `${status} ${code} ${message}`;

/**
 * The texts of a module's errors by full name.
 * @param isBuilt whether each error must have a text; those of planned modules need none
 * @throws DeclarationRefused for an error without a text, and for a text of an error that the module does not declare
 */
function errorTextsOf({ manifest, source }: Declared, isBuilt: boolean): [name: string, text: ErrorTexts[string]][] {
  const errors = errorsOf(manifest);
  const texts = new Map<string, ErrorTexts[string]>();
  for (const [name, text] of Object.entries(manifest.errorTexts ?? {})) {
    const named = errors.filter(
      ({ code, message }) => (name.includes(" ") ? name : `${name} errors.${name}`) === `${code} ${message}`,
    );
    if (named.length === 0)
      throw new DeclarationRefused(`${source} explains the error '${name}', which '${manifest.key}' does not declare.`);
    for (const error of named) texts.set(nameOfError(error), text);
  }
  const unexplained = isBuilt ? errors.find((error) => !texts.has(nameOfError(error))) : undefined;
  if (unexplained)
    throw new DeclarationRefused(`The error '${nameOfError(unexplained)}' in ${source} has no text in 'errorTexts'.`);
  return [...texts];
}

/** Names that only one manifest may declare, with the word that error messages use. */
const UNIQUE: readonly (readonly [what: string, names: (manifest: ModuleManifest) => readonly string[]])[] = [
  ["module", ({ key }) => [key]],
  ["permission", ({ permissions = {} }) => Object.keys(permissions)],
  ["error", (manifest) => errorsOf(manifest).map(nameOfError)],
  ["event", ({ events = {} }) => Object.keys(events)],
  ["action of automation", ({ automation = {} }) => Object.keys(automation.actions ?? {})],
  ["moment", ({ moments = [] }) => moments],
  ["mail", ({ mails = {} }) => Object.keys(mails)],
  ["text message", ({ sms = {} }) => Object.keys(sms)],
  ["kind of record", ({ records = {} }) => Object.keys(records)],
  ["table", ({ tables = [] }) => tables],
  ["section of reports", ({ reportSections = {} }) => Object.keys(reportSections)],
  ["tag", ({ tags = {} }) => Object.keys(tags)],
];

function parametersOf(all: readonly Declared[]): ReadonlyMap<string, string> {
  const entries = all.flatMap(({ manifest: { tags = {}, parameters = {} } }) =>
    Object.entries(parameters).map(([name, text]) => ({ name, text, tags: Object.keys(tags) })),
  );
  const ofTag = entries.flatMap(({ name, text, tags }) => tags.map((tag) => [`${tag} ${name}`, text] as const));
  const alone = entries.filter(({ name }) => entries.filter((other) => other.name === name).length === 1);
  return new Map([...ofTag, ...alone.map(({ name, text }) => [name, text] as const)]);
}

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

/** The hooks at other modules' moments, by moment. @throws DeclarationRefused for an undeclared moment, or the module's own */
function effectsOf(built: readonly Declared[]): Catalogue["effects"] {
  const owners = new Map(built.flatMap(({ manifest: { key, moments = [] } }) => moments.map((moment) => [moment, key] as const)));
  const found = new Map<string, (() => Promise<unknown>)[]>();
  for (const { manifest, source } of built)
    for (const [moment, load] of Object.entries(manifest.effects ?? {}) as [string, () => Promise<unknown>][]) {
      const owner = owners.get(moment);
      if (owner === undefined)
        throw new DeclarationRefused(`'${manifest.key}' in ${source} joins the moment '${moment}', which no module declares.`);
      if (owner === manifest.key)
        throw new DeclarationRefused(`'${manifest.key}' in ${source} joins the moment '${moment}', which is its own.`);
      found.set(moment, [...(found.get(moment) ?? []), once(load)]);
    }
  return found;
}

/** The hooks for events. @throws DeclarationRefused for an event that no module declares */
function joinsOf(built: readonly Declared[]): Catalogue["joins"] {
  const declared = new Set(built.flatMap(({ manifest }) => Object.keys(manifest.events ?? {})));
  return built.flatMap(({ manifest: { key, joins }, source }) => {
    const unknown = joins && joins.events !== "all" ? joins.events.find((event) => !declared.has(event)) : undefined;
    if (unknown) throw new DeclarationRefused(`'${key}' in ${source} joins the event '${unknown}', which no module declares.`);
    return joins ? { ...joins, load: once(joins.load) } : [];
  });
}

/**
 * The automation catalogue.
 * @throws DeclarationRefused for a trigger that is not an event of the module, that shows a field the event lacks, or whose record is not
 * visible to rules; and when a module shows rules another module's records
 */
function automationOf(built: readonly Declared[]): AutomationCatalogue {
  const byPosition = (a: { position: number }, b: { position: number }) => a.position - b.position;
  const declared = built.map(({ manifest, source }) => ({ ...manifest, ...manifest.automation, source }));
  const triggers = declared.flatMap(({ key, source, events = {}, entities = {}, triggers: own = {} }) =>
    Object.entries(own).map(([name, trigger]) => {
      const kind = events[name];
      if (!kind?.entity)
        throw new DeclarationRefused(`'${key}' in ${source} has the trigger '${name}', which is not one of its events.`);
      const lacking = trigger.payload.find((field) => !(field in kind.payload.properties));
      if (lacking !== undefined)
        throw new DeclarationRefused(`The trigger '${name}' in ${source} exposes '${lacking}', which is not in the event.`);
      if (!Object.hasOwn(entities, kind.entity))
        throw new DeclarationRefused(`The trigger '${name}' in ${source} is about '${kind.entity}', which rules cannot see.`);
      return { ...trigger, event: name, entity_type: kind.entity };
    }),
  );
  for (const { key, source, records = {}, entities = {} } of declared)
    for (const entity of Object.keys(entities))
      if (!Object.hasOwn(records, entity))
        throw new DeclarationRefused(
          `'${key}' in ${source} exposes '${entity}' to rules, which is not one of its kinds of record.`,
        );
  const actions = declared.flatMap(({ actions: own = {} }) => Object.entries(own).map(([key, action]) => ({ ...action, key })));
  return {
    entities: new Map(declared.flatMap(({ entities = {} }) => Object.entries(entities))),
    triggers: new Map(triggers.toSorted(byPosition).map((trigger) => [trigger.event, trigger])),
    actions: new Map(actions.toSorted(byPosition).map((action) => [action.key, action])),
  };
}

/** A permission in the form that a role stores, or null if the role does not hold it. */
function grantOf(key: string, { grants }: PermissionDeclaration, role: GrantedRole): string | null {
  if (Array.isArray(grants)) return grants.includes(role) ? key : null;
  const scope = (grants as Partial<Record<GrantedRole, string>>)[role];
  return scope === undefined ? null : `${key}:${scope}`;
}

function permissionsOf(all: readonly Declared[], awaited: ReadonlySet<Declared>): Permission[] {
  const found = all.flatMap((declared) =>
    Object.entries(declared.manifest.permissions ?? {}).map(([key, { position, group, grants }]) => ({
      declared,
      permission: {
        key,
        group: group ?? (key.split(".")[0] as string),
        position,
        scopes: Array.isArray(grants) ? [] : ["own", "any"],
        sku: declared.manifest.licence ?? null,
        module: declared.manifest.key,
        built: !awaited.has(declared),
      },
    })),
  );
  const place = ({ manifest }: Declared) => (manifest.kind === "core" ? "" : manifest.key);
  return found
    .toSorted(
      (a, b) =>
        byText(place(a.declared), place(b.declared)) ||
        a.permission.position - b.permission.position ||
        byText(a.permission.key, b.permission.key),
    )
    .map(({ permission }) => permission);
}

function rolesOf(all: readonly Declared[]): SystemRole[] {
  const permissions = all.flatMap(({ manifest }) => Object.entries(manifest.permissions ?? {}));
  return ROLES.map((role) => ({
    ...role,
    grants:
      role.key === "owner"
        ? [WILDCARD]
        : permissions.flatMap(([key, declaration]) => grantOf(key, declaration, role.key) ?? []).toSorted(byText),
  }));
}

function modulesOf(named: readonly Declared[]): NamedModule[] {
  const core: NamedModule = { module: "core", kind: "core", sku: null, requires: [], permanent: true };
  const others = named.map(({ manifest: { key, kind, licence = null, requires = [], permanent = false } }) => ({
    module: key,
    kind,
    sku: licence,
    requires,
    permanent,
  }));
  return [core, ...others].toSorted((a, b) => byText(a.module, b.module));
}

/** Report sections by position, then by key, so that their order is the same on every node. */
const reportSectionsOf = (built: readonly Declared[]): ReportSection[] =>
  built
    .flatMap(({ manifest: { key: module, kind, reportSections = {} } }) =>
      Object.entries(reportSections).map(([key, section]) => ({ ...section, key, module: kind === "core" ? null : module })),
    )
    .toSorted((a, b) => a.position - b.position || byText(a.key, b.key));

const mailsOf = ({ manifest: { key, kind, mails = {} } }: Declared): Record<string, OfferedMail> =>
  Object.fromEntries(Object.entries(mails).map(([name, mail]) => [name, { ...mail, module: kind === "core" ? null : key }]));

/**
 * Merges the declarations of modules.
 * @param built manifests of existing folders
 * @param awaited declarations of planned modules: they are in the catalogue, but no action may require them
 * @throws DeclarationRefused with a one-sentence message for a duplicate name, a module that is both built and planned, a missing
 * requirement, a permission under another module's name, and an error of a built module without a text
 */
export function merge(built: readonly Declared[], awaited: readonly Declared[]): Catalogue {
  const all = [...built, ...awaited];
  const coming = new Set(awaited);
  requireUnique(all);
  const named = new Map(all.flatMap((one) => (one.manifest.kind === "core" ? [] : [[one.manifest.key, one] as const])));
  for (const declared of all) requireOwnPrefix(declared, named);
  const byKey = new Map(built.map((declared) => [declared.manifest.key, declared]));
  for (const declared of built) requireRequired(declared, byKey);
  for (const declared of all) {
    requireOwnRecords(declared);
    requireOwnTables(declared);
  }
  return {
    built,
    permissions: permissionsOf(all, coming),
    systemRoles: rolesOf(all),
    modules: modulesOf([...named.values()]),
    errors: all
      .flatMap((declared) => errorsOf(declared.manifest).map((error) => ({ ...error, built: !coming.has(declared) })))
      .toSorted((a, b) => a.status - b.status || byText(a.code, b.code) || byText(a.message, b.message)),
    errorTexts: new Map(all.flatMap((declared) => errorTextsOf(declared, !coming.has(declared)))),
    events: Object.assign({}, ...built.map(({ manifest }) => manifest.events)),
    joins: joinsOf(built),
    automation: automationOf(built),
    effects: effectsOf(built),
    mails: Object.assign({}, ...built.map(mailsOf)),
    sms: Object.assign({}, ...built.map(({ manifest }) => manifest.sms)),
    records: new Map(all.flatMap(({ manifest }) => Object.entries(manifest.records ?? {}))),
    demos: built.flatMap(({ manifest }) => manifest.demo ?? []).toSorted((a, b) => a.position - b.position),
    reportSections: reportSectionsOf(built),
    tags: Object.assign({}, ...all.map(({ manifest }) => manifest.tags)),
    parameters: parametersOf(all),
  };
}
