import { removeRows, updateRows } from "../../core/bulk/bulk.ts";
import type { BulkEntity, BulkUpdate } from "../../core/bulk/entity.ts";
import { type Action, action } from "../../core/declare/action.ts";
import { catalogue } from "../../core/declare/catalogue/catalogue.ts";
import { service } from "../../mixins/resource.ts";
import { BulkActionResult, BulkDeleteRequest, BulkUpdateRequest } from "./bulk-schemas.ts";

const ECHOED = "conventions §6: in bulk an id out of view is reported like an unknown one; test/api/bulk/scopes.test.ts shows it";

/** Possible errors of a value. */
const VALUE_ERRORS = [
  "validation impex.errors.ambiguous_match",
  "validation impex.errors.invalid_bool",
  "validation impex.errors.invalid_date",
  "validation impex.errors.invalid_option",
  "validation impex.errors.unknown_column",
  "validation impex.errors.unresolved_reference",
];

/** The keys of an update, one sentence each, for the API reference. */
const keyTexts = ({ keys }: BulkUpdate): string =>
  Object.entries(keys)
    .map(([key, { read, clearable }]) => `\`${key}\`: ${read.about}${clearable ? "; null clears it" : ""}.`)
    .join(" ");

/** An example call that sets the last key, for the API reference. */
const exampleOf = ({ keys }: BulkUpdate) => {
  const values = Object.fromEntries(
    Object.entries(keys)
      .map(([key, { read }]) => [key, read.example] as const)
      .slice(-1),
  );
  return { ids: ["01890000-0000-7000-8000-000000000000"], values };
};

function updateOf(kind: string, permission: string, entity: BulkEntity): Action {
  const { plural, update } = entity;
  if (!update) throw new TypeError(`'${kind}' declares a permission to update many, and no keys`);
  return action({
    rest: `POST /bulk/${kind}/update`,
    summary: `Change many ${plural} at once, each by the rules of its own update`,
    description: `An unreadable value refuses the call before any change; a refused row stays unchanged and is listed in \`failed\`. ${keyTexts(update)}`,
    permission,
    status: 200,
    body: BulkUpdateRequest,
    example: exampleOf(update),
    returns: BulkActionResult,
    errors: [...VALUE_ERRORS, "validation errors.required"],
    exceptions: { tenancy: ECHOED, selection: ECHOED },
    handler: (ctx) => updateRows(entity, update, ctx.params.body.ids, ctx.params.body.values),
  });
}

const removeOf = (kind: string, permission: string, entity: BulkEntity): Action =>
  action({
    rest: `POST /bulk/${kind}/delete`,
    summary: `Delete many ${entity.plural} permanently, each by the rules of its own delete`,
    description: "A refused row stays and is listed in `failed`.",
    permission,
    status: 200,
    body: BulkDeleteRequest,
    returns: BulkActionResult,
    exceptions: { tenancy: ECHOED, selection: ECHOED },
    handler: (ctx) => removeRows(entity, ctx.params.body.ids),
  });

/** The bulk actions of every kind of record whose module declares them. */
async function declaredActions(): Promise<Record<string, Action>> {
  const kinds = [...catalogue().records].flatMap(([kind, { bulk }]) => (bulk ? [{ kind, bulk }] : []));
  const actions = kinds.map(async ({ kind, bulk }) => {
    const entity = await bulk.load();
    return [
      ...(bulk.update === undefined ? [] : [[`${kind}.update`, updateOf(kind, bulk.update, entity)] as const]),
      [`${kind}.delete`, removeOf(kind, bulk.delete, entity)] as const,
    ];
  });
  return Object.fromEntries((await Promise.all(actions)).flat());
}

export default service("bulk", { actions: await declaredActions() });
