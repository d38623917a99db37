import { expect } from "chai";
import { sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { invalidOn, refusalOf } from "../clients/companies/company-records.ts";
import { bodyOf, makeTask } from "./tasks/task-records.ts";

const BLANKS = " \u00a0 ";

describe("required texts of blanks alone", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedService();
    tenant = await service.tenant();
  });
  after(() => service.stop());

  const made = async (path: string, body: object): Promise<string> => `${path}/${bodyOf(await tenant.owner.post(path, body)).id}`;
  const refused = (field: string) => invalidOn({ [field]: "errors.validation" });

  it("are refused where something new gets its title or name", async () => {
    const task = `/tasks/${(await makeTask(tenant.owner)).id}`;
    const list = await made(`${task}/checklists`, { title: "Steps" });
    const sent: [path: string, body: object, field?: string][] = [
      ["/tasks", { title: BLANKS }],
      ["/tasks", { title: "Letter", checklist: { title: BLANKS } }],
      ["/tasks", { title: "Letter", checklist: { items: [{ title: BLANKS }] } }],
      [`${task}/checklists`, { title: BLANKS }],
      [`${list}/duplicate`, { title: BLANKS }],
      [`${list}/items`, { title: BLANKS }],
      ["/tasks/checklist-templates", { title: BLANKS }],
      ["/tasks/checklist-templates", { title: "Steps", items: [{ title: BLANKS }] }],
      ["/tasks/templates", { name: BLANKS }, "name"],
      ["/tasks/templates", { name: "Start", items: [{ title: BLANKS }] }],
      ["/tasks/templates", { name: "Start", items: [{ title: "Call", checklist_items: [{ title: BLANKS }] }] }],
      ["/tasks/labels", { name: BLANKS, color: "red" }, "name"],
      ["/tasks/statuses", { key: "blank", name: BLANKS, color: "red" }, "name"],
    ];
    for (const [path, body, field = "title"] of sent)
      expect(refusalOf(await tenant.owner.post(path, body)), `${path} ${JSON.stringify(body)}`).to.deep.equal(refused(field));
  });

  it("are refused by a change, which keeps the present text", async () => {
    const task = `/tasks/${(await makeTask(tenant.owner)).id}`;
    const list = await made(`${task}/checklists`, { title: "Steps" });
    const sent: [path: string, field: string][] = [
      [task, "title"],
      [list, "title"],
      [await made(`${list}/items`, { title: "First" }), "title"],
      [await made("/tasks/checklist-templates", { title: "Steps" }), "title"],
      [await made("/tasks/templates", { name: "Start" }), "name"],
      [await made("/tasks/labels", { name: "Urgent", color: "red" }), "name"],
      [await made("/tasks/statuses", { key: "held", name: "Held", color: "red" }), "name"],
    ];
    for (const [path, field] of sent)
      expect(refusalOf(await tenant.owner.patch(path, { [field]: BLANKS })), path).to.deep.equal(refused(field));
    expect(bodyOf(await tenant.owner.get(task))).to.include({ title: "Write the letter" });
  });

  it("are stored as typed with a word in them", async () => {
    expect(await makeTask(tenant.owner, { title: "  Write  " })).to.include({ title: "  Write  " });
  });
});
