import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { type Caller, sharedService, type Tenant, type TestService } from "../../support/service.ts";

const ids = (length: number) => Array.from({ length }, () => randomUUID());
const items = (length: number) => Array.from({ length }, () => ({ title: "Item" }));
const letters = (length: number) => "x".repeat(length);

type Make = (value: unknown) => object;
/** Of one field of a body: its request, its other fields, values at its bounds, and values beyond them. */
type Limit = [call: string, field: string, body: Make, taken: unknown[], refused: unknown[]];

const task: Make = (more) => ({ title: "Task", ...(more as object) });
const rule = (more: object) => task({ recurrence: { freq: "weekly", ...more } });
const block = (more: object) => ({
  task_id: randomUUID(),
  day: "2026-05-04",
  start_time: "09:00",
  duration_minutes: 60,
  ...more,
});
const entry = (more: object) => ({ started_at: "2026-05-04T09:00:00Z", minutes: 10, ...more });
const template = (more: object) => ({ name: "Template", items: [{ title: "Task", ...more }] });

/** As the work chapter and that of contact moments state them. */
const LIMITS: Limit[] = [
  ["POST /projects", "name", (name) => ({ name, company_id: randomUUID() }), [letters(255)], ["", letters(256)]],
  ["POST /projects", "color", (color) => ({ name: "P", company_id: randomUUID(), color }), [letters(20)], [letters(21)]],
  [
    "POST /projects",
    "budget_hours",
    (budget_hours) => ({ name: "P", company_id: randomUUID(), budget_hours }),
    [0, null],
    [-0.01],
  ],
  ["POST /tasks", "title", (title) => ({ title }), [letters(512)], ["", letters(513)]],
  ["POST /tasks", "allocated_minutes", (allocated_minutes) => task({ allocated_minutes }), [0, 100_000, null], [-1, 100_001]],
  ["POST /tasks", "label_ids", (label_ids) => task({ label_ids }), [ids(20)], [ids(21)]],
  ["POST /tasks", "items", (all) => task({ checklist: { items: all } }), [items(100)], [items(101)]],
  ["POST /tasks", "links", (n) => task({ links: Array(n).fill({ url: "a.test" }) }), [10], [11]],
  ["POST /tasks", "interval", (interval) => rule({ interval }), [1, 365], [0, 366]],
  ["POST /tasks", "on_weekday", (on_weekday) => rule({ on_weekday }), [0, 6], [-1, 7]],
  ["POST /tasks", "on_day", (on_day) => rule({ freq: "monthly", on_day }), [1, 31], [0, 32]],
  ["POST /tasks", "on_month", (on_month) => rule({ freq: "yearly", on_day: 1, on_month }), [1, 12], [0, 13]],
  [
    "POST /tasks",
    "duration_minutes",
    (duration_minutes) => rule({ plan: { start_time: "09:00", duration_minutes } }),
    [1, 1440],
    [0, 1441],
  ],
  ["POST /tasks/statuses", "key", (key) => ({ key, name: "S", color: "sky" }), [letters(50)], ["", letters(51), "A", "a-b"]],
  ["POST /tasks/statuses", "name", (name) => ({ key: "a", name, color: "sky" }), [letters(100)], ["", letters(101)]],
  ["POST /tasks/statuses", "color", (color) => ({ key: "b", name: "S", color }), [letters(20)], ["", letters(21)]],
  ["POST /tasks/labels", "name", (name) => ({ name, color: "sky" }), [letters(100)], ["", letters(101)]],
  ["POST /tasks/labels", "color", (color) => ({ name: "Label", color }), [letters(20)], ["", letters(21)]],
  ["POST /tasks/checklist-templates", "title", (title) => ({ title }), [letters(255)], ["", letters(256)]],
  ["POST /tasks/checklist-templates", "items", (all) => ({ title: "T", items: all }), [items(100)], [items(101)]],
  ["POST /tasks/:id/checklists/order", "checklist_ids", (checklist_ids) => ({ checklist_ids }), [ids(200)], [[], ids(201)]],
  ["POST /tasks/:id/checklists/:id/items/order", "item_ids", (item_ids) => ({ item_ids }), [ids(500)], [[], ids(501)]],
  ["POST /tasks/:id/links", "url", (url) => ({ url }), [`https://${letters(1016)}`], ["", `https://${letters(1017)}`]],
  ["POST /tasks/templates", "name", (name) => ({ name }), [letters(255)], ["", letters(256)]],
  ["POST /tasks/templates", "relative_due_days", (relative_due_days) => template({ relative_due_days }), [0, 365], [-1, 366]],
  ["POST /tasks/schedules", "duration_minutes", (duration_minutes) => block({ duration_minutes }), [1, 1440], [0, 1441]],
  ["POST /tasks/schedules", "note", (note) => block({ note }), [letters(500)], [letters(501)]],
  ["POST /tasks/schedules/:id/log-time", "minutes", (minutes) => ({ minutes }), [1440], [-1, 1441]],
  ["POST /time/entries", "minutes", (minutes) => entry({ minutes }), [0, 1440], [-1, 1441]],
  ["POST /time/entries", "break_minutes", (break_minutes) => entry({ minutes: 0, break_minutes }), [0, 1440], [-1, 1441]],
  ["POST /time/entry-types", "key", (key) => ({ key }), [letters(50)], ["", letters(51), "A"]],
  ["POST /time/entries/approve", "entry_ids", (entry_ids) => ({ entry_ids }), [ids(1000)], [[], ids(1001)]],
  ["POST /time/entries/invoice", "entry_ids", (entry_ids) => ({ entry_ids }), [ids(1000)], [[], ids(1001)]],
  ["PUT /time/drafts/2026-05-04", "description", (description) => ({ description }), [letters(4000)], [letters(4001)]],
  ["POST /interactions", "subject", (subject) => ({ kind: "note", subject }), [letters(500)], [letters(501)]],
  ["POST /interactions/kinds", "key", (key) => ({ key }), [letters(50)], ["", letters(51), "A"]],
  ["POST /interactions/review/approve", "ids", (all) => ({ ids: all }), [ids(200)], [[], ids(201)]],
  ["POST /interactions/review/reject", "ids", (all) => ({ ids: all }), [ids(200)], [[], ids(201)]],
  ["POST /interactions/review/assign", "ids", (all) => ({ ids: all }), [ids(200)], [[], ids(201)]],
];

/** Fields that a change cannot clear: the record for the try, and its required fields. */
const NEVER_NULL: [path: string, make: object, fields: string[]][] = [
  ["/tasks/labels", { name: "Cleared", color: "sky" }, ["name", "color", "position"]],
  ["/tasks/checklist-templates", { title: "Steps" }, ["title", "items"]],
  ["/interactions/kinds", { key: "visit" }, ["position", "active"]],
  ["/interactions", { kind: "note" }, ["kind", "occurred_at", "direction"]],
];

/** Most and least rows of a page. */
const PAGES: [path: string, most: number][] = [
  ["/projects", 200],
  ["/projects/dashboard-budgets", 20],
  ["/tasks", 200],
  ["/tasks/mine", 100],
  ["/tasks/dashboard-mine", 100],
  ["/time/entries", 200],
  ["/time/report", 1000],
  ["/interactions", 200],
];

describe("the limits of work", () => {
  let service: TestService;
  let tenant: Tenant;
  let owner: Caller;
  before(async () => {
    service = await sharedService();
    tenant = await service.tenant();
    owner = tenant.owner;
  });
  after(() => service.stop());

  const answer = async (call: string, body: object) => {
    const [method = "", path = ""] = call.split(" ");
    const sent = await owner[method.toLowerCase() as "post" | "put"](
      path.replaceAll(":id", () => randomUUID()),
      body,
    );
    return { status: sent.status, fields: Object.keys(sent.body?.error?.fields ?? {}) };
  };

  for (const [call, field, body, taken, refused] of LIMITS)
    it(`${call}: ${field}`, async () => {
      for (const value of taken) {
        const { status, fields } = await answer(call, body(value));
        // Records that a body names need not exist.
        expect([status, fields], `taken: ${JSON.stringify(value)?.slice(0, 60)}`).to.satisfy(
          () => [200, 201, 404].includes(status) && fields.length === 0,
        );
      }
      for (const value of refused)
        expect(await answer(call, body(value)), `refused: ${JSON.stringify(value)?.slice(0, 60)}`).to.deep.equal({
          status: 422,
          fields: [field],
        });
    });

  for (const [path, make, fields] of NEVER_NULL)
    it(`PATCH ${path}: null for ${fields.join(", ")}`, async () => {
      const { id } = (await owner.post(path, make)).body;
      const { status, body } = await owner.patch(`${path}/${id}`, Object.fromEntries(fields.map((field) => [field, null])));
      expect([status, body.error.fields]).to.deep.equal([
        422,
        Object.fromEntries(fields.map((field) => [field, "errors.validation"])),
      ]);
    });

  for (const [path, most] of PAGES)
    it(`GET ${path}: 1 to ${most} rows`, async () => {
      for (const limit of [1, most]) expect((await owner.get(`${path}?limit=${limit}`)).status).to.equal(200);
      for (const limit of [0, most + 1])
        expect((await owner.get(`${path}?limit=${limit}`)).body.error.fields).to.deep.equal({ limit: "errors.validation" });
    });
});
