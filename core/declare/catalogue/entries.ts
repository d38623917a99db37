import { ConfigurationError } from "../../config/config.ts";
import type { ErrorEntry } from "../../errors/errors.ts";
import type { AutomationCatalogue } from "../automation.ts";
import type { EventHookDeclaration, EventKind } from "../events.ts";
import type { MailKind, SmsKind } from "../messages.ts";
import type { DemoDeclaration, ErrorTexts, ModuleManifest, RecordDeclaration } from "../module.ts";
import type { ReportSection } from "../report-sections.ts";

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
  eventHooks: readonly EventHookDeclaration[];
  /** What automation rules can start from and do; triggers and actions by position. */
  automation: AutomationCatalogue;
  /** The in-transaction hooks of modules in other modules' transactions, by hook point. */
  hooks: ReadonlyMap<string, readonly (() => Promise<unknown>)[]>;
  mails: Readonly<Record<string, OfferedMail>>;
  sms: Readonly<Record<string, SmsKind>>;
  /** Types of record by name; for planned modules, those with custom fields. */
  records: ReadonlyMap<string, RecordDeclaration>;
  /** By position. */
  demos: readonly DemoDeclaration[];
  /** Report sections of built modules, by position. */
  reportSections: readonly ReportSection[];
  tags: Readonly<Record<string, string>>;
  /** Dotted names of objects in operation ids, by the beginning of a path. */
  operationNames: Readonly<Record<string, string>>;
  /** Descriptions of parameters by tag and name, and by name alone if only one module declares it: `tasks :label_id`, `:task_id`. */
  parameters: ReadonlyMap<string, string>;
}

/** The declarations of the modules do not fit together. The message is one sentence that names the files. */
export class DeclarationRefused extends ConfigurationError {
  override name = "DeclarationRefused";
}

/** `conflict errors.leave_overlap` of a manifest as an entry. */
export function errorsOf({ key, errors = {} }: ModuleManifest): Omit<ErrorEntry, "built">[] {
  return Object.entries(errors).flatMap(([status, list]) =>
    list.map((declared) => {
      const [code = "", message = `errors.${code}`] = declared.split(" ");
      return { code, status: Number(status), message, module: key };
    }),
  );
}
