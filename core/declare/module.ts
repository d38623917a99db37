import type { EventKind } from "./events.ts";
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

/** One kind of record, as other parts of the service meet it. */
export interface RecordDeclaration {
  /** An organisation may add fields of its own to such records. */
  custom?: true;
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
  /** Domain events by name. Their payloads become known to the compiler through `EventPayloads` of core/declare/events.ts. */
  events?: Readonly<Record<string, EventKind>>;
  /** The kinds of records it owns, by entity type. */
  records?: Readonly<Record<string, RecordDeclaration>>;
  /** What the first segment of its paths is about, one sentence each, for the API reference. */
  tags?: Readonly<Record<string, string>>;
}

/** Types a manifest. */
export const defineModule = <const M extends ModuleManifest>(manifest: M): M => manifest;
