import { dateIn, rangeBounds } from "../../../core/calendar/calendar.ts";
import { searchWords } from "../../../core/database/lists/words.ts";
import { queryOne } from "../../../core/database/query.ts";
import { action } from "../../../core/declare/action.ts";
import { internal } from "../../../core/declare/makers/internal.ts";
import { forbidden } from "../../../core/errors/errors.ts";
import { requireMatch } from "../../../core/http/etag.ts";
import { namedValues } from "../../../core/naming/named-values.ts";
import { callerId, mayCaller, NO_PERSON } from "../../../core/request/caller.ts";
import { request } from "../../../core/request/context.ts";
import { organisationToday, organisationZone } from "../../../core/request/today.ts";
import {
  choice,
  date,
  flag,
  instant,
  multiline,
  optional,
  page,
  readInstant,
  Type,
  text,
  uuid,
} from "../../../core/schema/schema.ts";
import { statement } from "../../../core/sql/statement.ts";
import { resource } from "../../../mixins/resource.ts";
import { INTERACTION_PAGE, type InteractionFilters, interactionSorts } from "./interaction.list.ts";
import { lockForWrite, lockSeen, oneInteraction, pageOfInteractions, writtenInteraction } from "./interaction-rows.ts";
import { InteractionCreate, InteractionRead, InteractionUpdate } from "./interaction-schemas.ts";
import { changeInteraction, createInteraction } from "./interaction-writes.ts";
import { removeInteraction } from "./messages/review.ts";
import { Interaction } from "./models.ts";
import { quietSince } from "./quiet.ts";

const sorts = Object.keys(interactionSorts).flatMap((key) => [key, `-${key}`]);
const interactionQuery = {
  limit: optional(Type.Integer({ minimum: 1, maximum: 200, default: INTERACTION_PAGE })),
  offset: optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0 })),
  sort: optional(Type.String({ description: `One of ${sorts.join(", ")}` })),
  count: optional(flag(true)),
  with_body: optional(flag(false)),
  company_id: optional(uuid()),
  project_id: optional(uuid()),
  include: optional(
    choice(["tasks"], { description: "With `project_id`: `tasks` adds the contact moments of the project's tasks" }),
  ),
  task_id: optional(uuid()),
  contact_id: optional(uuid()),
  kind: optional(text(50)),
  status: optional(choice(namedValues("InteractionStatus", ["pending", "logged"]))),
  owner_user_id: optional(uuid()),
  mine: optional(flag(false)),
  q: optional(multiline(200)),
  date_from: optional(date()),
  date_to: optional(date()),
  updated_since: optional(instant()),
};

/** The owner to filter by. @throws 403 for another person without `interactions.interaction.read_all` */
function ownerAsked(mine: boolean, owner: string | undefined): string | undefined {
  if (mine) return callerId() ?? NO_PERSON;
  const asked = owner?.toLowerCase();
  if (asked !== undefined && asked !== callerId() && !mayCaller("interactions.interaction.read_all")) throw forbidden();
  return asked;
}

const LAST = statement(`select max(occurred_at) as moment from interactions
  where organisation_id = $1 and company_id = $2 and status = 'logged'`);
/** Contact moments shown in a company's panel. */
const IN_PANEL = 10;

export default resource("interactions", {
  model: Interaction,
  actions: {
    list: action({
      rest: "GET /interactions",
      summary: "List contact moments, newest first",
      description:
        "A conversation shows its newest message and counts once. Waiting messages are shown to the owner of their mailbox alone. `body_text` is left out unless `with_body`. Contacts, project and task that the caller does not see are left out or null; only the address of such a participant stays.",
      permission: "interactions.interaction.read",
      query: interactionQuery,
      returns: page(InteractionRead),
      errors: ["invalid_sort"],
      tool: {
        name: "find_contact_moments",
        description: "The contact moments of a client or contact person, newest first.",
        inArea: true,
        takes: ["company_id", "contact_id", "kind", "q", "date_from", "date_to", "limit", "offset"],
      },
      handler(ctx) {
        const { include, project_id, owner_user_id, mine = false, q, date_from, date_to, updated_since, ...rest } = ctx.params;
        const zone = organisationZone();
        const filters: InteractionFilters = {
          company_id: rest.company_id,
          task_id: rest.task_id,
          contact_id: rest.contact_id,
          kind: rest.kind,
          status: rest.status,
          [include === "tasks" ? "project_tasks" : "project_id"]: project_id,
          owner: ownerAsked(mine, owner_user_id),
          q: searchWords(q),
          from: date_from && rangeBounds(date_from, date_from, zone).from,
          until: date_to && rangeBounds(date_to, date_to, zone).until,
          updated_since: updated_since === undefined ? undefined : (readInstant(updated_since) as string),
        };
        return pageOfInteractions(rest, filters);
      },
    }),

    create: action({
      rest: "POST /interactions",
      summary: "Write a contact moment down",
      description:
        "`@[Name](mention:<user id>)` in the notes notifies that member (`interactions.mentioned`); a change of the notes notifies newly mentioned members.",
      permission: "interactions.interaction.write",
      body: InteractionCreate,
      example: {
        kind: "call",
        direction: "outbound",
        occurred_at: "2026-03-02T09:30:00Z",
        subject: "Planning of the new website",
        body_markdown: "Agreed by phone: the texts come on **Friday**.",
      },
      returns: InteractionRead,
      errors: ["not_found"],
      tool: {
        name: "log_contact_moment",
        description: "Writes down a call, a meeting, a note or a message with a client or contact person.",
        inArea: true,
        takes: ["kind", "occurred_at", "direction", "subject", "body_markdown", "company_id", "contact_id"],
      },
      async handler(ctx) {
        return writtenInteraction(await createInteraction(ctx.params.body));
      },
    }),

    get: action({
      rest: "GET /interactions/:interaction_id",
      summary: "Read one contact moment",
      permission: "interactions.interaction.read",
      returns: InteractionRead,
      handler: (ctx) => oneInteraction(ctx.params.interaction_id),
    }),

    update: action({
      rest: "PATCH /interactions/:interaction_id",
      summary: "Change a contact moment",
      description: "Another's needs the permission at `:any`. Messages of a mailbox are changed by their review alone.",
      permission: "interactions.interaction.write",
      body: InteractionUpdate,
      returns: InteractionRead,
      errors: ["invalid_state errors.interactions_mail_readonly", "not_found"],
      async handler(ctx) {
        const id = ctx.params.interaction_id;
        await changeInteraction(await lockForWrite(id), ctx.params.body);
        return writtenInteraction(id);
      },
    }),

    remove: action({
      rest: "DELETE /interactions/:interaction_id",
      summary: "Delete a contact moment",
      description: "Deletes all logged messages of its conversation, or none if the caller cannot delete one of them.",
      permission: "interactions.interaction.delete",
      async handler(ctx) {
        const row = await lockSeen(ctx.params.interaction_id);
        await removeInteraction(row);
        requireMatch(row.version);
      },
    }),

    panel: internal({
      summary: "The latest contact moments of a company",
      permission: "interactions.interaction.read",
      contributes: { panel: { entity: "company", key: "interactions.company", position: 35 } },
      async handler(ctx) {
        const asked = { limit: IN_PANEL, count: false };
        const { items } = (await pageOfInteractions(asked, { company_id: ctx.params.company_id })).parse() as {
          items: unknown[];
        };
        return { items };
      },
    }),

    tile: internal({
      summary: "When a company was last spoken to",
      permission: "interactions.interaction.read",
      contributes: { tile: { entity: "company", key: "interactions.last", position: 40 } },
      async handler(ctx) {
        const row = await queryOne<{ moment: string | null }>(LAST, [request().organisation.id, ctx.params.company_id]);
        if (!row?.moment) return null;
        const day = dateIn(organisationZone(), row.moment);
        const { days, tone } = quietSince(day, organisationToday());
        return { value: day, format: "date", tone, hint_key: "summary.interactions.last.days", hint_params: { days } };
      },
    }),
  },
});
