import type { DefineProofs, Maker, Place } from "../../test/support/fixture/proofs.ts";

const A_DAY = "2026-03-02";
type Make = (place: Place) => Promise<string>;

/** Ids in one operation must belong together: `make` creates a row, `last` returns the newest of the place, or a new one. */
function remembering(make: Make): { make: Make; last: Make } {
  const newest = new WeakMap<Place, Promise<string>>();
  const made: Make = (place) => {
    const id = make(place);
    newest.set(place, id);
    return id;
  };
  return { make: made, last: (place) => newest.get(place) ?? made(place) };
}

/** Fixtures of task parts and templates for the generic tests. */
export const partsProofs: DefineProofs = ({ insert, named, make }) => {
  // One task per place holds all parts made there.
  const { last: taskOf } = remembering((place) => make("task_id", place));
  const checklist = remembering(async (place) =>
    insert(place, "task_checklists", { task_id: await taskOf(place), title: named(place.token) }),
  );
  const newItem = async (place: Place) =>
    insert(place, "task_checklist_items", { checklist_id: await checklist.last(place), title: named(place.token) });
  const newComment = async (place: Place) =>
    insert(place, "task_comments", {
      task_id: await taskOf(place),
      body: named(place.token),
      author_account_id: place.tenant.owner.accountId,
    });
  const newBlock = async (place: Place) =>
    insert(place, "task_schedules", {
      task_id: await taskOf(place),
      user_id: place.tenant.owner.accountId,
      starts_at: `${A_DAY}T09:00:00Z`,
      ends_at: `${A_DAY}T10:00:00Z`,
    });
  const listOf = (place: Place) => insert(place, "task_checklist_templates", { title: named(place.token) });
  const onTask = (make: Make): Maker => ({ ofCompany: true, make });
  const ofOrganisation = (make: Make): Maker => ({ ofCompany: false, make });

  return {
    makers: {
      "/tasks/{task_id}/checklists task_id": onTask(taskOf),
      // The checklist that holds the item of the body.
      "/tasks/{task_id}/checklists/{checklist_id}/items/order checklist_id": onTask(checklist.last),
      "/tasks/{task_id}/checklists checklist_id": onTask(checklist.make),
      "/tasks/{task_id}/checklists item_id": onTask(newItem),
      "/tasks/{task_id}/checklists template_id": ofOrganisation(listOf),
      "/tasks/{task_id}/links task_id": onTask(taskOf),
      "/tasks/{task_id}/links link_id": onTask(async (place) =>
        insert(place, "task_links", { task_id: await taskOf(place), url: "https://www.example.com" }),
      ),
      "/tasks/{task_id}/comments task_id": onTask(taskOf),
      "/tasks/{task_id}/comments comment_id": onTask(newComment),
      "/tasks/{task_id}/comments parent_id": onTask(newComment),
      "/tasks/schedules task_id": onTask(taskOf),
      "/tasks/checklist-templates template_id": ofOrganisation(listOf),
      "/tasks/templates template_id": ofOrganisation((place) => insert(place, "task_templates", { name: named(place.token) })),
      schedule_id: onTask(newBlock),
    },
    values: {
      day: () => A_DAY,
      start_time: () => "09:00",
      url: () => "https://www.example.com/plan",
    },
    bodies: {
      "POST /tasks/{task_id}/checklists/order": async (place) => ({ checklist_ids: [await checklist.last(place)] }),
      "POST /tasks/{task_id}/checklists/{checklist_id}/items/order": async (place) => ({ item_ids: [await newItem(place)] }),
    },
    asked: { "GET /tasks/schedules": ["task_id"] },
    personal: { "POST /tasks/schedules/{schedule_id}/log-time": "only the block's own person (work chapter §3.10)" },
    fixedLists: { "GET /tasks/templates/{template_id}": "the tasks of one template" },
  };
};
