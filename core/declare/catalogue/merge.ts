import { nameOfError } from "../../errors/errors.ts";
import type { AutomationCatalogue } from "../automation.ts";
import type { ErrorTexts, PermissionDeclaration } from "../module.ts";
import { once } from "../once.ts";
import type { ReportSection } from "../report-sections.ts";
import {
  type Catalogue,
  DeclarationRefused,
  type Declared,
  errorsOf,
  type NamedModule,
  type OfferedMail,
  type Permission,
  type SystemRole,
  WILDCARD,
} from "./entries.ts";
import { requireConsistent } from "./requirements.ts";
import { type GrantedRole, ROLES } from "./roles.ts";

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

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

function parametersOf(all: readonly Declared[]): ReadonlyMap<string, string> {
  const entries = all.flatMap(({ manifest: { tags = {}, parameters = {} } }) =>
    Object.entries(parameters).map(([name, text]) => ({ name, text, tags: Object.keys(tags) })),
  );
  const ofTag = entries.flatMap(({ name, text, tags }) => tags.map((tag) => [`${tag} ${name}`, text] as const));
  const alone = entries.filter(({ name }) => entries.filter((other) => other.name === name).length === 1);
  return new Map([...ofTag, ...alone.map(({ name, text }) => [name, text] as const)]);
}

/** The hooks at other modules' hook points, by point. @throws DeclarationRefused for an undeclared point, or the module's own */
function hooksOf(built: readonly Declared[]): Catalogue["hooks"] {
  const owners = new Map(
    built.flatMap(({ manifest: { key, hookPoints = [] } }) => hookPoints.map((point) => [point, key] as const)),
  );
  const found = new Map<string, (() => Promise<unknown>)[]>();
  for (const { manifest, source } of built)
    for (const [point, load] of Object.entries(manifest.hooks ?? {}) as [string, () => Promise<unknown>][]) {
      const owner = owners.get(point);
      if (owner === undefined)
        throw new DeclarationRefused(`'${manifest.key}' in ${source} hooks into '${point}', which no module declares.`);
      if (owner === manifest.key)
        throw new DeclarationRefused(`'${manifest.key}' in ${source} hooks into '${point}', which is its own.`);
      found.set(point, [...(found.get(point) ?? []), once(load)]);
    }
  return found;
}

/** The hooks for events. @throws DeclarationRefused for an event that no module declares */
function eventHooksOf(built: readonly Declared[]): Catalogue["eventHooks"] {
  const declared = new Set(built.flatMap(({ manifest }) => Object.keys(manifest.events ?? {})));
  return built.flatMap(({ manifest: { key, eventHook }, source }) => {
    const unknown = eventHook && eventHook.events !== "all" ? eventHook.events.find((event) => !declared.has(event)) : undefined;
    if (unknown)
      throw new DeclarationRefused(`'${key}' in ${source} hooks into the event '${unknown}', which no module declares.`);
    return eventHook ? { ...eventHook, load: once(eventHook.load) } : [];
  });
}

/**
 * The automation catalogue.
 * @throws DeclarationRefused for a trigger that is not an event of the module, that shows a field the event lacks, or whose record is not
 * visible to rules; when a module shows rules another module's records; and for an action whose permission no built module declares
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
  const permissions = new Set(declared.flatMap(({ permissions: own = {} }) => Object.keys(own)));
  const actions = declared.flatMap(({ source, actions: own = {} }) =>
    Object.entries(own).map(([key, action]) => {
      const needed = [action.permission, ...Object.values(action.alsoNeeds ?? {})];
      const unknown = needed.find((permission) => !permissions.has(permission.replace(/:(own|any)$/, "")));
      if (unknown !== undefined)
        throw new DeclarationRefused(`The action '${key}' in ${source} needs '${unknown}', which no module declares.`);
      return { ...action, key };
    }),
  );
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
 * @throws DeclarationRefused with a one-sentence message for declarations that do not fit together
 */
export function merge(built: readonly Declared[], awaited: readonly Declared[]): Catalogue {
  const all = [...built, ...awaited];
  const coming = new Set(awaited);
  const named = new Map(all.flatMap((one) => (one.manifest.kind === "core" ? [] : [[one.manifest.key, one] as const])));
  requireConsistent(all, built, named);
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
    eventHooks: eventHooksOf(built),
    automation: automationOf(built),
    hooks: hooksOf(built),
    mails: Object.assign({}, ...built.map(mailsOf)),
    sms: Object.assign({}, ...built.map(({ manifest }) => manifest.sms)),
    records: new Map(all.flatMap(({ manifest }) => Object.entries(manifest.records ?? {}))),
    demos: built.flatMap(({ manifest }) => manifest.demo ?? []).toSorted((a, b) => a.position - b.position),
    reportSections: reportSectionsOf(built),
    tags: Object.assign({}, ...all.map(({ manifest }) => manifest.tags)),
    operationNames: Object.assign({}, ...all.map(({ manifest }) => manifest.operationNames)),
    parameters: parametersOf(all),
  };
}
