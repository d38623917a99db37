import { queryOne } from "../../../core/database/query.ts";
import { action } from "../../../core/declare/action.ts";
import { runHooks } from "../../../core/declare/catalogue/catalogue.ts";
import { invalid, notFound } from "../../../core/errors/errors.ts";
import { request } from "../../../core/request/context.ts";
import { answer, choice, input, integer, list, nullable, Type, uuid } from "../../../core/schema/schema.ts";
import { statement } from "../../../core/sql/statement.ts";
import { type HandedOver, OPEN_WORK_KINDS, type OpenWork, type OpenWorkKind } from "../../../core/values/open-work.ts";
import { hasLeft, requireAssignable } from "../../../mixins/assignees.ts";
import { collect } from "../../../mixins/contributions.ts";
import { service } from "../../../mixins/resource.ts";
import { audit } from "../audit.ts";

/** The account of a membership, or of a person whose membership is gone. */
const PERSON =
  statement(`select m.account_id as id from memberships m where m.organisation_id = $1 and (m.id = $2 or m.account_id = $2)
  union all select $2::uuid where ${hasLeft("$2::uuid")} limit 1`);

/** @throws 404 for neither a member nor a person who was one */
async function personOf(id: string): Promise<string> {
  const found = await queryOne<{ id: string }>(PERSON, [request().organisation.id, id.toLowerCase()]);
  if (!found) throw notFound();
  return found.id;
}

const kind = () =>
  choice(OPEN_WORK_KINDS, {
    description:
      "`company` and `project`: the person has the star. `task`: open, with the person on its roster. `series`: a recurring task whose roster or plan names the person. `template`: one of its tasks is for the person. `agreement`: its first activation applies such a template. `rule`: an action names the person",
  });

const OpenWorkItem = Type.Object(
  {
    id: Type.String({ format: "uuid", description: "The record" }),
    title: Type.String({ description: "Its title or name" }),
    company_id: { ...nullable(uuid()), description: "Its client; null if it has none" },
  },
  { $id: "OpenWorkItem" },
);
const OpenWorkGroup = answer("OpenWorkGroup", {
  kind: kind(),
  total: { ...integer(0), description: "Number of records of this kind that the caller sees" },
  items: { ...list(OpenWorkItem), description: "The first 200 of them, by title" },
});
const OpenWorkRead = answer(
  "OpenWorkRead",
  { user_id: uuid(), groups: list(OpenWorkGroup) },
  {
    user_id: "The account of the person",
    groups: "What hangs on the person, by kind; kinds that the caller may not read are missing",
  },
);
const HandOver = input("HandOver", { to: uuid() }, { to: "Who gets the work: the account or membership of an active colleague" });
const HandedOverRead = answer("HandedOverRead", {
  kind: kind(),
  count: { ...integer(0), description: "Number of records that were changed" },
});
const HandOverResult = answer(
  "HandOverResult",
  { from_user_id: uuid(), to_user_id: uuid(), moved: list(HandedOverRead) },
  {
    from_user_id: "The account of the person who had the work",
    to_user_id: "The account of the person who has it now",
    moved: "How many records of each kind went over; kinds without any are missing. An agreement goes with its template",
  },
);

const place = (one: OpenWorkKind): number => OPEN_WORK_KINDS.indexOf(one);

/** The work that hangs on a member, and its hand-over (work chapter §1). */
export default service("members.work", {
  actions: {
    list: action({
      rest: "GET /members/:membership_id/open-work",
      verb: "list",
      summary: "List what hangs on a member: open tasks, stars, series, templates, agreements and rules",
      description: "For a person who has left, the id is that of the account.",
      permission: "members.member.read",
      returns: OpenWorkRead,
      async handler(ctx) {
        const user_id = await personOf(ctx.params.membership_id);
        const found = await collect<"openWork", OpenWork[]>(ctx, "openWork", { user_id });
        const groups = found.flatMap(({ answer: own }) => own).toSorted((one, other) => place(one.kind) - place(other.kind));
        return { user_id, groups };
      },
    }),

    handOver: action({
      rest: "POST /members/:membership_id/hand-over",
      summary: "Hand everything that hangs on a member to a colleague, in one transaction",
      description:
        "Moves open tasks, stars, series, templates and rules, whatever the caller may read of them. Finished work and rosters without a star stay. For a person who has left, the id is that of the account.",
      permission: "members.member.write",
      everyClient: true,
      status: 200,
      body: HandOver,
      returns: HandOverResult,
      errors: ["invalid_assignee", "validation errors.inactive_member"],
      async handler(ctx) {
        const from = await personOf(ctx.params.membership_id);
        const named = ctx.params.body.to;
        const to = (await queryOne<{ id: string }>(PERSON, [request().organisation.id, named.toLowerCase()]))?.id ?? named;
        await requireAssignable([to], "to");
        if (to === from) throw invalid({ to: "errors.validation" });
        const moved: HandedOver[] = [];
        await runHooks("membership.handing_over", { from, to, moved });
        const counts = moved.filter(({ count }) => count > 0).toSorted((one, other) => place(one.kind) - place(other.kind));
        audit("membership.handed_over", { targetAccountId: from, detail: { to, moved: counts } });
        return { from_user_id: from, to_user_id: to, moved: counts };
      },
    }),
  },
});
