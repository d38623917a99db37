import type pg from "pg";
import type { BulkEntity } from "../bulk/entity.ts";
import type { NamedInTrail } from "../database/trail.ts";
import type { ImpexEntity } from "../impex/entity.ts";
import type { Organisation } from "../request/context.ts";
import type { AutomationDeclaration } from "./automation.ts";
import type { EffectDeclarations } from "./effects.ts";
import type { EventJoinDeclaration, EventKind } from "./events.ts";
import type { MailKind, SmsKind } from "./messages.ts";
import type { ReportedChange } from "./record-events.ts";
import type { ReportSectionDeclaration } from "./report-sections.ts";
import type { GrantedRole } from "./roles.ts";

/** One permission: where it stands in its group, and who holds it by default. */
export interface PermissionDeclaration {
  position: number;
  /** The group it is shown in; the first part of its key unless said otherwise. */
  group?: string;
  /** The roles that hold it by default; for a permission with the scopes `own` and `any`, the scope by role. */
  grants: readonly GrantedRole[] | Readonly<Partial<Record<GrantedRole, "own" | "any">>>;
}

/**
 * Refusals by HTTP status: a code, whose message is then `errors.<code>`, or code and message, as in `conflict errors.leave_overlap`.
 */
export type ErrorDeclarations = Readonly<Record<number, readonly string[]>>;

/** By declared error: when an operation answers it, and what the caller does about it where the status does not tell. */
export type ErrorTexts = Readonly<Record<string, string | readonly [when: string, remedy: string]>>;

/** Who reads records of a kind, their trail and notifications of them; whether a caller sees one record is for `seen` to answer. */
export interface ReadersDeclaration {
  /** The kind's own read permission. */
  permission: string;
  /**
   * A record may be a person's own; another person's needs the permission at `:any`. `person`: the record is a person, its id that of the
   * account, and no selection of clients leaves it out. `row`: it belongs to one, and `seen` answers 404 to others.
   */
  own?: "person" | "row";
}

/** The client of records of a kind. */
export interface ClientDeclaration {
  table: string;
  /** SQL of the client's id, null for a record without a client; the record's row is `t`. */
  of: string;
}

/** One kind of record, as other parts of the service meet it. */
export interface RecordDeclaration {
  /** The action that answers 404 for a record the caller may not see, and the parameter that takes the record's id. */
  seen?: readonly [action: string, parameter: string];
  /** Who reads such records; without it only `seen` is asked. */
  readers?: ReadersDeclaration;
  /** Whose client a record is: null where no client has such records, `several` where only `seen` can tell. Kinds with readers declare it. */
  client?: ClientDeclaration | "several" | null;
  /** Its readers see its trail, with `activity.read`; the trail of other kinds is shown to no caller. */
  trail?: true;
  /**
   * Outgoing webhooks report that such records are added, changed and deleted (platform §5.9). By action of the trail: what a line means,
   * where it is not `created`, `updated` or `deleted`, which mean themselves; fields are named as the record's own answer names them. What
   * changes a record without a line calls `reportChange` of core/jobs/record-changes.ts.
   */
  changes?: Readonly<Record<string, ReportedChange>>;
  /** Lines about other records name such records, by id and with a text, which is shown to those who see the record alone. */
  namedInTrail?: () => Promise<NamedInTrail>;
  /** An organisation may add fields of its own to such records. */
  custom?: true;
  /**
   * Files hang on such records, for those who may see the record. `open`: anybody with the permission adds them to it and removes them,
   * through `/files`; `managed`: only the module's own endpoints do.
   */
  files?: "open" | "managed";
  /** Such records travel as a spreadsheet, also by the command line. */
  sheet?: () => Promise<ImpexEntity>;
  /** Many of them are changed and deleted at once: `/bulk/<kind>/update` and `/bulk/<kind>/delete`. */
  bulk?: BulkDeclaration;
}

/** How many records of a kind are changed and deleted at once. */
export interface BulkDeclaration {
  /** The permission of the ordinary update; without it there is none for many. */
  update?: string;
  /** The permission of the ordinary delete. */
  delete: string;
  /** Loads the keys and what writes a row. */
  load: () => Promise<BulkEntity>;
}

/** The demo organisation, as its parts are filled in. */
export interface DemoOrganisation {
  /** A connection as the role that owns the tables. */
  client: pg.ClientBase;
  organisation: Organisation;
  /** E-mail address of the owner. */
  owner: string;
  /** Those who worked there before anything was filled in, by seniority. */
  colleagues: readonly { id: string; name: string }[];
}

/** What a module puts into the demo organisation. */
export interface DemoDeclaration {
  /**
   * Low positions come first. A demo organisation with a trail counts as finished, so a module whose demo writes trail lines comes after
   * those whose demo does not.
   */
  position: number;
  load: () => Promise<(demo: DemoOrganisation) => Promise<void>>;
}

/**
 * What a module is, declared once. A folder under `services/` or `integrations/` has a `module.ts` that default-exports the manifest of its
 * module, or a list of them. The core finds the folders and merges what they declare (core/declare/catalogue); it knows no module by name.
 * It is loaded by every process, the command line included: it imports `core/declare/` and texts, everything heavier behind a function.
 */
export interface ModuleManifest {
  /** The module's name, as in `enabled_modules`, in licences and before the first dot of its permissions. */
  key: string;
  /** `core` is always there, has no name of its own in `/meta`, and shares its permission groups with others of its kind. */
  kind: "core" | "module" | "integration";
  /** The licence its writes need (conventions §7); without it they need none. */
  licence?: string;
  /** Modules that must be enabled as well; all of them must be built. */
  requires?: readonly string[];
  /** True for a module that no organisation can switch off. */
  permanent?: true;
  permissions?: Readonly<Record<string, PermissionDeclaration>>;
  /** Refusals that only this module makes; those of the core stand in core/declare/catalogue/kernel.ts. */
  errors?: ErrorDeclarations;
  /** Texts of its errors for the reference, by name as in `errors`; an error without one gets the text of its status. */
  errorTexts?: ErrorTexts;
  /** Codes of warnings that its answers may hold. */
  warnings?: readonly string[];
  /** Domain events by name. Their payloads become known to the compiler through `EventPayloads` of core/declare/events.ts. */
  events?: Readonly<Record<string, EventKind>>;
  /**
   * What it writes in the transaction that records an event, so that it is there exactly when the event is. What may wait, or asks
   * another system, is a subscriber instead.
   */
  joins?: EventJoinDeclaration;
  /** What rules of automation may start from and do here, and what they see of its records. */
  automation?: AutomationDeclaration;
  /** Moments of its transactions that other modules may join: it calls `joinEffects` of core/declare/effects.ts there. */
  moments?: readonly string[];
  /** What it does within the transaction of another module, by that module's moment; loaded when one first comes. */
  effects?: EffectDeclarations;
  /** Mails by kind, with their texts. Their names become known to the compiler through `MailKinds` of core/declare/messages.ts. */
  mails?: Readonly<Record<string, MailKind>>;
  /** Text messages by kind, with their texts. */
  sms?: Readonly<Record<string, SmsKind>>;
  /** The kinds of records it owns, by entity type. */
  records?: Readonly<Record<string, RecordDeclaration>>;
  demo?: DemoDeclaration;
  /** Sections of clients' periodic reports whose figures it has, by key (workspace-reporting §1.3). */
  reportSections?: Readonly<Record<string, ReportSectionDeclaration>>;
  /** SQL of the ids of clients of organisation `$1` that are linked to figures of its sections at the moment. */
  reportClients?: string;
  /** The tables it writes; no other module does. */
  tables?: readonly string[];
  /** Columns by table of its own that the SQL of other modules may read (test/unit/declare/shows.test.ts). */
  shows?: Readonly<Record<string, readonly string[]>>;
  /** What the first segment of its paths is about, one sentence each, for the API reference. */
  tags?: Readonly<Record<string, string>>;
  /**
   * What parameters of its endpoints mean, by name, one in a path as `:task_id`; other modules that use the same parameter need no entry, as
   * long as only one declares it. A parameter whose schema has a description needs none either.
   */
  parameters?: Readonly<Record<string, string>>;
}

/** Types a manifest. */
export const defineModule = <const M extends ModuleManifest>(manifest: M): M => manifest;
