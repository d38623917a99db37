import type pg from "pg";
import type { AutomationDeclaration } from "./automation.ts";
import type { GrantedRole } from "./catalogue/roles.ts";
import type { EventHookDeclaration, EventKind, ReportedChange } from "./events.ts";
import type { CounterDeclaration, FiguresDeclaration } from "./figures.ts";
import type { HookDeclarations } from "./hooks.ts";
import type { MailKind, SmsKind } from "./messages.ts";
import type { Organisation } from "./principal.ts";
import type { ReferenceDeclarations } from "./references.ts";
import type { ReportSectionDeclaration } from "./report-sections.ts";

/** One permission: its position in its group, and the roles that hold it by default. */
export interface PermissionDeclaration {
  position: number;
  /** The group it is shown in; by default the first part of its key. */
  group?: string;
  /** Its name in Dutch and English, on the page where a person grants scopes. */
  names?: readonly [nl: string, en: string];
  /** The roles that hold it by default; if it has the scopes `own` and `any`, the scope by role. */
  grants: readonly GrantedRole[] | Readonly<Partial<Record<GrantedRole, "own" | "any">>>;
}

/** Errors by HTTP status: a code, with the message `errors.<code>`, or code and message, as in `conflict errors.leave_overlap`. */
export type ErrorDeclarations = Readonly<Record<number, readonly string[]>>;

/** By declared error: when an operation returns it and, if the status does not make that clear, what the caller should do. */
export type ErrorTexts = Readonly<Record<string, string | readonly [when: string, remedy: string]>>;

/** Who may read a type of record, its trail and its notifications; `seen` decides whether a caller sees one particular record. */
export interface ReadersDeclaration {
  /** The type's own read permission. */
  permission: string;
  /**
   * A record can be a person's own; reading another person's requires the permission at `:any`. `person`: the record is a person, its id is
   * the account's, and no selection of clients excludes it. `row`: it belongs to a person, and `seen` returns 404 to others.
   */
  own?: "person" | "row";
}

/** How to find the client of a record. */
export interface ClientDeclaration {
  table: string;
  /** SQL of the client's id, null for a record without a client; the record's row is `t`. */
  of: string;
}

/** A type of record that trail lines about other records refer to: its id is under one key of the payload, its text under another. */
export interface NamedInTrail {
  /** Its table, and the condition of a restricted selection on alias `t`; `slot` holds the selection's sources. */
  record: { table: string; visible: (slot: string) => string };
  /** The key of the text, by the key of the id. */
  texts: Readonly<Record<string, string>>;
}

/** A reference of a record that ends when the other record is deleted. */
export interface LostReference {
  /** The field of the record's own response that shows it. */
  field: string;
  /** The table of the other record. */
  to: string;
  /** The table with the reference: the record's own, or one of links. */
  table: string;
  /** The column with the reference; by default the one named like the field. */
  column?: string;
  /** The column with the record's id; by default `id`. */
  record?: string;
  /** SQL condition on the row `t` of that table. */
  when?: string;
}

/** One type of record, as other parts of the service use it. Spreadsheets add `sheet` (core/impex/entity.ts). */
export interface RecordDeclaration {
  /** The action that returns 404 for a record the caller may not see, and its parameter for the record's id. */
  seen?: readonly [action: string, parameter: string];
  /** Who reads such records; without it only `seen` decides. */
  readers?: ReadersDeclaration;
  /** The client of a record; null if such records have no client, `several` if only `seen` can decide. Required with `readers`. */
  client?: ClientDeclaration | "several" | null;
  /** Its readers with `activity.read` see its trail; no caller sees the trail of other types. */
  trail?: true;
  /**
   * Outgoing webhooks report when such records are created, updated and deleted (platform §5.9). Maps trail actions other than `created`,
   * `updated` and `deleted` to the change they mean; field names are those of the record's own response. Code that changes a record without
   * a trail line calls `reportChange` of core/trail/record-changes.ts.
   */
  changes?: Readonly<Record<string, ReportedChange>>;
  /**
   * References that such records lose when another record is deleted: its deletion reports them as updated (core/trail/lost-references.ts).
   * Requires `changes`.
   */
  loses?: readonly LostReference[];
  /** Trail lines about other records refer to such records, by id and with a text that only those who see the record can read. */
  namedInTrail?: () => Promise<NamedInTrail>;
  /** An organisation can add custom fields to such records. */
  custom?: true;
  /**
   * Such records have files, visible to those who see the record. `open`: anyone with the permission adds and removes files through
   * `/files`; `managed`: only the module's own endpoints do.
   */
  files?: "open" | "managed";
  /** Supports bulk edits: `/bulk/<kind>/update` and `/bulk/<kind>/delete`. */
  bulk?: BulkDeclaration;
  /** Copies of their list read in `GET /deleted` which of them are gone. A migration gives their table the trigger `noted_deletion`. */
  copied?: CopiedDeclaration;
}

/** The list of a type of record, as copies follow it (conventions §10). */
export interface CopiedDeclaration {
  /** The action of the list, which takes `updated_since`. */
  list: string;
  /** The table of its rows. */
  table: string;
  /** The permission of the list, if not that of `readers`. */
  permission?: string;
  /** A permission that some of its rows need in addition, unless they are the caller's own (`row_audience` of migration 0118). */
  needs?: string;
  /** The list is refused to callers with a selection. */
  everyClient?: true;
}

/** Bulk edits of a type of record. Their code is `load` (core/bulk/entity.ts). */
export interface BulkDeclaration {
  /** The permission of the ordinary update; if omitted, there is no bulk update. */
  update?: string;
  /** The permission of the ordinary delete. */
  delete: string;
}

/** The demo organisation while it is being filled. */
export interface DemoOrganisation {
  /** A connection as the role that owns the tables. */
  client: pg.ClientBase;
  organisation: Organisation;
  /** E-mail address of the owner. */
  owner: string;
  /** The colleagues that existed before the demo data, by seniority. */
  colleagues: readonly { id: string; name: string }[];
}

/** A module's part of the demo organisation. */
export interface DemoDeclaration {
  /**
   * Low positions come first. A demo organisation with a trail counts as complete, so modules whose demo writes trail lines must come after
   * those whose demo does not.
   */
  position: number;
  load: () => Promise<(demo: DemoOrganisation) => Promise<void>>;
}

/**
 * The declaration of a module. A folder under `services/` or `integrations/` has a `module.ts` that default-exports the manifest of its
 * module, or a list of them. The core finds the folders and merges the manifests (core/declare/catalogue); it knows no module by name.
 * Every process loads it, including the command line: so it imports only `core/declare/` and texts, and loads the rest through functions.
 */
export interface ModuleManifest {
  /** The module's name, as in `enabled_modules`, in licences and before the first dot of its permissions. */
  key: string;
  /** `core` is always present, is not listed separately in `/meta`, and shares its permission groups with others of its kind. */
  kind: "core" | "module" | "integration";
  /** The licence that its writes need (conventions §7); without it they need none. */
  licence?: string;
  /** Modules that must be enabled as well; all of them must be built. */
  requires?: readonly string[];
  /** True for a module that no organisation can switch off. */
  permanent?: true;
  permissions?: Readonly<Record<string, PermissionDeclaration>>;
  /** Names of its permission groups in Dutch and English. */
  permissionGroups?: Readonly<Record<string, readonly [nl: string, en: string]>>;
  /** Errors that only this module returns; those of the core are in core/declare/catalogue/kernel.ts. */
  errors?: ErrorDeclarations;
  /** Texts of its errors for the reference, by name as in `errors`. Each of its errors has one. */
  errorTexts?: ErrorTexts;
  /** Meanings of keys that `fields` of its answers can carry without being the message of an error. */
  fieldTexts?: ErrorTexts;
  /** Meanings of keys that its stored results carry: a run, a delivery, a mail, a test of a connection. */
  resultTexts?: ErrorTexts;
  /** Codes of warnings in its responses. */
  warnings?: readonly string[];
  /** Domain events by name. The compiler learns their payloads through `EventPayloads` of core/declare/events.ts. */
  events?: Readonly<Record<string, EventKind>>;
  /**
   * Its hook in transactions that record an event: what it writes exists if and only if the event does. Work that can wait, or calls
   * another system, belongs in a subscriber instead.
   */
  eventHook?: EventHookDeclaration;
  /** The triggers and actions it offers to automation rules, and the fields of its records that rules see. */
  automation?: AutomationDeclaration;
  /** Moments of its transactions for which other modules can declare hooks; it calls `runHooks` of core/declare/catalogue/catalogue.ts there. */
  hookPoints?: readonly string[];
  /** Its hooks in other modules' transactions, by hook point; loaded when one first occurs. */
  hooks?: HookDeclarations;
  /** Mails by type, with their texts. The compiler learns their names through `MailKinds` of core/declare/messages.ts. */
  mails?: Readonly<Record<string, MailKind>>;
  /** Text messages by type, with their texts. */
  sms?: Readonly<Record<string, SmsKind>>;
  /** The types of record it owns, by entity type. */
  records?: Readonly<Record<string, RecordDeclaration>>;
  demo?: DemoDeclaration;
  /** The sections it provides for clients' periodic reports, by key (workspace-reporting §1.3). */
  reportSections?: Readonly<Record<string, ReportSectionDeclaration>>;
  /** SQL of the ids of the clients of organisation `$1` that are currently linked to figures of its sections. */
  reportClients?: string;
  /** Gauges that operators see, read from the database by one node at a time. */
  figures?: readonly FiguresDeclaration[];
  /** Counters that operators see, by name, such as `kantoor.webhooks.attempts.total`; its code counts by `count` of core/figures. */
  counters?: Readonly<Record<string, CounterDeclaration>>;
  /** The tables it writes; no other module writes them. */
  tables?: readonly string[];
  /** Columns, by table of its own, that other modules' SQL may read (test/unit/declare/shows.test.ts). */
  shows?: Readonly<Record<string, readonly string[]>>;
  /**
   * How columns of its tables that name clients or contacts follow when two of these are merged, by `table.column`. Foreign keys
   * without a unique key need no entry.
   */
  references?: ReferenceDeclarations;
  /** One sentence about each first segment of its paths, for the API reference. */
  tags?: Readonly<Record<string, string>>;
  /**
   * Dotted names of objects in the ids of its operations, by the beginning of a path, where the segments of the path read badly:
   * `{"/shelves/2d": "shelves.flat"}`.
   */
  operationNames?: Readonly<Record<string, string>>;
  /**
   * Descriptions of its endpoints' parameters by name, one in a path as `:task_id`. Other modules with the same parameter need no entry, as
   * long as only one declares it. Nor does a parameter whose schema has a description.
   */
  parameters?: Readonly<Record<string, string>>;
}

/** Types a manifest. */
export const defineModule = <const M extends ModuleManifest>(manifest: M): M => manifest;
