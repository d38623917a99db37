import { expect } from "chai";
import { type EmittedEvent, type Occasion, occasionsOf } from "../../../services/notifications/audience/occasions.ts";
import { obsoleteAfter } from "../../../services/notifications/audience/retiring.ts";
import { EVENTS_OF_INTEREST, MATRIX_EVENTS } from "../../../services/notifications/preferences/event-kinds.ts";

const [actor, ana, ben, cis] = ["actor", "ana", "ben", "cis"];
const TASK = "the task";

const event = (name: string, recipients: string[] = [], more: Partial<EmittedEvent> = {}): EmittedEvent => ({
  id: name,
  name,
  entityType: name.split(".")[0] as string,
  entityId: TASK,
  payload: { title: "Letter", recipients },
  ...more,
});
const reported = async (...events: EmittedEvent[]) =>
  Object.fromEntries((await occasionsOf(events, actor)).map((occasion) => [occasion.event_type, occasion]));

/** The names of all events of interest whose occasion the test accepts. */
const kindsWith = async (test: (occasion: Occasion | undefined) => unknown) => {
  const occasions = await Promise.all(
    Object.keys(EVENTS_OF_INTEREST).map(async (name) => [name, await reported(event(name))] as const),
  );
  return occasions.flatMap(([name, all]) => (test(all[name]) ? name : []));
};

describe("an audience before the database is read", () => {
  it("is empty for events without recipients", async () => {
    expect(await occasionsOf([event("task.created"), event("leave.cancelled"), event("schedule.saved")], actor)).to.deep.equal(
      [],
    );
  });

  it("is the event's recipients, once each, and the values of the sentence", async () => {
    const { named, excluded, payload } = (await reported(event("task.assigned", [ana, ben, ana])))["task.assigned"] ?? {};
    expect([named, excluded, payload]).to.deep.equal([[ana, ben], [actor], { title: "Letter" }]);
  });

  it("leaves no one out for the system", async () => {
    expect((await occasionsOf([event("task.assigned", [ana])], null))[0]?.excluded).to.deep.equal([]);
  });

  it("looks at each event a fixed number of times, however many the transaction records", async () => {
    let looks = 0;
    const counted = (name: string, index: number): EmittedEvent => ({
      ...event(name),
      get entityType() {
        looks += 1;
        return "task";
      },
      get entityId() {
        return `record ${index >> 1}`;
      },
    });
    const names = ["task.status_changed", "task.assigned"];
    const many = Array.from({ length: 2000 }, (_, index) => counted(names[index % 2] as string, index));
    expect(await occasionsOf(many, actor)).to.have.length(2000);
    expect(looks).to.be.at.most(many.length * 6);
  });

  const outdone: [general: string, specific: string[]][] = [
    ["task.status_changed", ["task.assigned", "task.unassigned"]],
    ["task.commented", ["task.mentioned", "task.replied"]],
    ["task.replied", ["task.mentioned"]],
    ["project.status_changed", ["project.assigned"]],
    ["company.status_changed", ["company.assigned"]],
  ];
  for (const [general, specific] of outdone)
    it(`excludes from ${general} the recipients of ${specific.join(" or ")} of the same write and record`, async () => {
      for (const name of specific) {
        expect((await reported(event(general, [ana, ben]), event(name, [ben, cis])))[general]?.excluded).to.deep.equal([
          actor,
          ben,
          cis,
        ]);
        const elsewhere = await reported(event(general, [ana, ben]), event(name, [ben], { entityId: "another" }));
        expect(elsewhere[general]?.excluded).to.deep.equal([actor]);
        expect((await reported(event(general, [ana]), event(name, [ben])))[name]?.excluded.includes(ana)).to.equal(false);
      }
    });

  it("notifies followers of the record of events without named recipients, and of no unknown record", async () => {
    const alone = await kindsWith((occasion) => !occasion?.followed);
    expect(alone).to.deep.equal([
      "task.replied",
      "task.mentioned",
      "company.created",
      "interactions.email_pending",
      "interactions.mentioned",
      "task.unblocked",
      "task.left_unassigned",
      "project.left_unassigned",
      "automation.notify",
      "workspace.connection_broken",
      "workspace.mail_gap",
      "workspace.event_restored",
      "uptime.monitor.down",
      "uptime.monitor.up",
      "uptime.monitor.flapping",
      "uptime.instance.unreachable",
      "report.failed",
      "report.held",
    ]);
  });

  it("requires of followers the permission to read the record, for personal ones at :any", async () => {
    const readersOf = async (name: string, entityType: string) =>
      (await reported(event(name, [], { entityType })))[name]?.readers;
    expect(await readersOf("task.commented", "task")).to.deep.equal(["*", "tasks.task.read"]);
    expect(await readersOf("leave.requested", "leave_request")).to.deep.equal(["*", "leave.request.read:any"]);
    expect(await readersOf("time.entry_approved", "timesheet")).to.deep.equal(["*", "time.entry.read:any"]);
  });

  it("keeps a person's act in the activity without any audience, and no reminder", async () => {
    const fleeting = await kindsWith((occasion) => !occasion?.lasting);
    expect(fleeting).to.deep.equal([
      "task.due_soon",
      "task.overdue",
      "project.budget_threshold",
      "time.timesheet_reminder",
      "task.left_unassigned",
      "project.left_unassigned",
      "workspace.event_restored",
      "uptime.monitor.down",
      "uptime.monitor.up",
      "uptime.monitor.flapping",
      "uptime.instance.unreachable",
      "report.failed",
      "report.held",
    ]);
  });

  it("reports a comment once in the activity if it named or answered people", async () => {
    for (const name of ["task.mentioned", "task.replied"])
      expect((await reported(event("task.commented"), event(name, [ana])))["task.commented"]?.lasting, name).to.equal(false);
    expect(
      (await reported(event("task.status_changed"), event("task.assigned", [ana])))["task.status_changed"]?.lasting,
    ).to.equal(true);
  });

  it("is reported at once for the events marked so, and every event of the matrix has its place", async () => {
    const atOnce = await kindsWith((occasion) => occasion?.immediate);
    expect(atOnce.join(" ")).to.equal(
      "task.assigned task.replied task.mentioned task.overdue task.scheduled project.assigned company.assigned leave.requested leave.approved leave.rejected interactions.email_pending interactions.mentioned task.unblocked task.left_unassigned project.left_unassigned automation.notify workspace.connection_broken workspace.mail_gap workspace.event_restored uptime.monitor.down uptime.monitor.up uptime.monitor.flapping uptime.instance.unreachable report.failed report.held",
    );
    expect(MATRIX_EVENTS).to.have.length(22);
    expect(MATRIX_EVENTS).not.to.include("automation.notify");
  });
});

describe("pointless notifications after an event", () => {
  const cases: [what: string, recorded: EmittedEvent, pointless: string[]][] = [
    ["leave that was approved", event("leave.approved"), ["leave.requested"]],
    ["leave that was rejected", event("leave.rejected"), ["leave.requested"]],
    ["leave that was cancelled", event("leave.cancelled"), ["leave.requested"]],
    ["leave that was asked for", event("leave.requested"), []],
    ["a message that was filed", event("interaction.approved"), ["interactions.email_pending"]],
    ["a message that was refused", event("interaction.rejected"), ["interactions.email_pending"]],
    ["a finished task", event("task.status_changed", [], { payload: { finished: true } }), ["task.due_soon", "task.overdue"]],
    ["a task that moved on", event("task.status_changed", [], { payload: { finished: false } }), []],
    ["a finished project", event("project.status_changed", [], { payload: { finished: true } }), []],
  ];
  for (const [what, recorded, pointless] of cases)
    it(`of ${what}: ${pointless.join(", ") || "nothing"}`, () => {
      expect(obsoleteAfter([recorded])).to.deep.equal(
        pointless.map((one) => ({ entityType: recorded.entityType, entityId: TASK, event: one })),
      );
    });
});
