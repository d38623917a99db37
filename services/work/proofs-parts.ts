import type { DefineProofs, Maker, Place } from "../../test/support/fixture/proofs.ts";

const A_DAY = "2026-03-02";
const STATUSES = `insert into task_statuses (id, organisation_id, key, name, color, is_default, is_terminal)
  select gen_random_uuid(), $1, s.key, s.key, 'sky', s.key = 'open', s.key = 'done' from unnest(array['open', 'done']) s (key)
   where not exists (select 1 from task_statuses where organisation_id = $1) on conflict do nothing`;

/** The row of a place, made once: what one operation names below another has to belong to it. */
function once(make: (place: Place) => Promise<string>): (place: Place) => Promise<string> {
  const made = new WeakMap<Place, Promise<string>>();
  return (place) => {
    const known = made.get(place) ?? make(place);
    made.set(place, known);
    return known;
  };
}

/** What the generic proofs need to know of what hangs on tasks, and of their templates. */
export const partsProofs: DefineProofs = ({ insert, named }) => {
  const taskOf = once(async (place) => {
    const { tenant, sql, companyId } = place;
    await sql.query(STATUSES, [tenant.organisation.id]);
    const id = await insert(place, "tasks", { company_id: companyId, title: named(place.token), status: "open" });
    await sql.query("insert into task_assignees (organisation_id, task_id, account_id, is_primary) values ($1, $2, $3, true)", [
      tenant.organisation.id,
      id,
      tenant.owner.accountId,
    ]);
    return id;
  });
  const checklistOf = once(async (place) =>
    insert(place, "task_checklists", { task_id: await taskOf(place), title: named(place.token) }),
  );
  const itemOf = once(async (place) =>
    insert(place, "task_checklist_items", { checklist_id: await checklistOf(place), title: named(place.token) }),
  );
  const commentOf = once(async (place) =>
    insert(place, "task_comments", {
      task_id: await taskOf(place),
      body: named(place.token),
      author_account_id: place.tenant.owner.accountId,
    }),
  );
  const blockOf = once(async (place) =>
    insert(place, "task_schedules", {
      task_id: await taskOf(place),
      user_id: place.tenant.owner.accountId,
      starts_at: `${A_DAY}T09:00:00Z`,
      ends_at: `${A_DAY}T10:00:00Z`,
    }),
  );
  const listOf = (place: Place) => insert(place, "task_checklist_templates", { title: named(place.token) });
  const onTask = (make: (place: Place) => Promise<string>): Maker => ({ ofCompany: true, make });
  const ofOrganisation = (make: (place: Place) => Promise<string>): Maker => ({ ofCompany: false, make });

  return {
    makers: {
      "/tasks/{task_id}/checklists task_id": onTask(taskOf),
      "/tasks/{task_id}/checklists checklist_id": onTask(checklistOf),
      "/tasks/{task_id}/checklists item_id": onTask(itemOf),
      "/tasks/{task_id}/checklists template_id": ofOrganisation(listOf),
      "/tasks/{task_id}/links task_id": onTask(taskOf),
      "/tasks/{task_id}/links link_id": onTask(async (place) =>
        insert(place, "task_links", { task_id: await taskOf(place), url: "https://www.example.com" }),
      ),
      "/tasks/{task_id}/comments task_id": onTask(taskOf),
      "/tasks/{task_id}/comments comment_id": onTask(commentOf),
      "/tasks/{task_id}/comments parent_id": onTask(commentOf),
      "/tasks/schedules task_id": onTask(taskOf),
      "/tasks/checklist-templates template_id": ofOrganisation(listOf),
      "/tasks/templates template_id": ofOrganisation((place) => insert(place, "task_templates", { name: named(place.token) })),
      schedule_id: onTask(blockOf),
    },
    values: {
      day: () => A_DAY,
      start_time: () => "09:00",
      url: () => "https://www.example.com/plan",
    },
    bodies: {
      "POST /tasks/{task_id}/checklists/order": async (place) => ({ checklist_ids: [await checklistOf(place)] }),
      "POST /tasks/{task_id}/checklists/{checklist_id}/items/order": async (place) => ({ item_ids: [await itemOf(place)] }),
    },
    asked: { "GET /tasks/schedules": ["task_id"] },
    fixedLists: { "GET /tasks/templates/{template_id}": "the tasks of one template" },
  };
};
