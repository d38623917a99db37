import { setImmediate as turn } from "node:timers/promises";
import type { JobParameters } from "agenda";
import { expect } from "chai";
import sinon from "sinon";
import { type Table, TableAdapter } from "../../../core/jobs/queue/table.ts";

/** A table whose searches are answered by the test. */
function adapter({ isOwn = true, slots = 5 } = {}) {
  const own = {
    saveJobState: sinon.stub().resolves(),
    unlockJob: sinon.stub().resolves(),
    unlockJobs: sinon.stub().resolves(),
    queryJobs: sinon.stub().resolves({ jobs: [], total: 0 }),
  };
  const methods = { ...own };
  const { unlockJobs: unlock, unlockJob, saveJobState: save } = own;
  const [claim, end] = [sinon.stub(), sinon.stub().resolves([])];
  const dueNames = sinon.stub().resolves(new Map());
  const [freed, notify] = [sinon.spy(), sinon.spy()];
  const table = { own: isOwn, repository: own, mostClaimed: 100, dueNames, claim, end } as unknown as Table;
  let isStopped = false;
  const adapted = new TableAdapter(table, {
    node: "this one",
    handed: () => {},
    onTrouble: () => {},
    horizon: 10_000,
    lockOf: () => 1000,
    slotsOf: () => slots,
    names: () => ["mail.send"],
    isStopped: () => isStopped,
    notify,
    freed,
  });
  const { repository, held, expect: expectWork } = adapted;
  const next = () => repository.getNextJobToRun("mail.send", new Date(), new Date(), undefined, {});
  const finish = (job: JobParameters) =>
    repository.saveJobState({ ...job, lockedAt: undefined, nextRunAt: null } as never, undefined);
  const stop = () => void (isStopped = true);
  return {
    own,
    methods,
    notify,
    look: () => adapted.look(),
    repository,
    claim,
    end,
    unlock,
    unlockJob,
    save,
    freed,
    dueNames,
    expectWork,
    next,
    finish,
    held,
    isIdle: () => adapted.isIdle(),
    endsWith: (id: string, ordered: string) => adapted.endsWith(id, ordered),
    stop,
    table,
    returnWaiting: () => adapted.returnWaiting(),
  };
}
const row = { _id: "1", name: "mail.send", nextRunAt: new Date(0) } as unknown as JobParameters;

describe("Agenda's own repository", () => {
  it("keeps every method it ships with, and answers all that is not about the search or the end of a job", async () => {
    const { own, methods, repository } = adapter();
    expect(own).to.deep.equal(methods);
    expect(await repository.queryJobs({ name: "mail.send" })).to.deep.equal({ jobs: [], total: 0 });
    expect(own.queryJobs.args).to.deep.equal([[{ name: "mail.send" }]]);
  });
});

describe("the search for work", () => {
  // What ended lately is counted by the clock.
  let clock: sinon.SinonFakeTimers;
  beforeEach(() => {
    clock = sinon.useFakeTimers({ now: 1_000_000, toFake: ["Date"] });
  });
  afterEach(() => clock.restore());

  it("costs nothing of its own for a name without work", async () => {
    const { next, claim, dueNames } = adapter();
    expect(await next()).to.equal(undefined);
    expect(dueNames.callCount).to.equal(1);
    expect(claim.callCount).to.equal(0);
  });

  it("for all names is one statement, and reports what is due and what comes up", async () => {
    const { look, notify, dueNames } = adapter();
    dueNames.resolves(
      new Map([
        ["mail.send", [5, 2_000_000]],
        ["sms.send", [1_000_500]],
      ]),
    );
    await Promise.all([look(), look()]);
    expect(dueNames.callCount).to.equal(1);
    expect(dueNames.firstCall.args.slice(1)).to.deep.equal([1_000_000, 1_010_000]);
    expect(notify.args.slice(0, 2)).to.deep.equal([
      ["mail.send", [5, 2_000_000], 1_000_000],
      ["sms.send", [1_000_500], 1_000_000],
    ]);
  });

  it("is made again after a word that came while another found nothing", async () => {
    const { next, claim, expectWork } = adapter();
    let answer: (jobs: JobParameters[]) => void = () => {};
    claim.onFirstCall().returns(new Promise((resolve) => (answer = resolve)));
    claim.onSecondCall().resolves([row]);
    expectWork("mail.send");
    const searching = next();
    await turn();
    expectWork("mail.send");
    answer([]);
    expect((await searching)?._id).to.equal("1");
  });

  it("ends when the last word has been looked into", async () => {
    const { next, claim, freed, expectWork, finish } = adapter();
    claim.resolves([]);
    expectWork("mail.send");
    await next();
    await finish(row);
    await turn();
    expect([claim.callCount, freed.callCount]).to.deep.equal([1, 0]);
  });

  it("locks a job for each free slot in one claim, and looks no further once there were fewer", async () => {
    const { next, claim, freed, expectWork, finish } = adapter();
    claim.resolves([row, { ...row, _id: "2" }]);
    expectWork("mail.send");
    const found = [await next(), await next(), await next(), await next()];
    expect(found.map((job) => job?._id)).to.deep.equal(["1", "2", undefined, undefined]);
    expect(claim.args.map(([, , , , most]) => most)).to.deep.equal([5]);
    await finish(found[0] as JobParameters);
    await turn();
    expect(freed.callCount, "nothing else has work").to.equal(0);
  });

  it("goes on after a claim that filled the slots, and after a word that came meanwhile", async () => {
    const { next, claim, expectWork, finish } = adapter({ slots: 2 });
    claim.onCall(0).resolves([row, { ...row, _id: "2" }]);
    claim.onCall(1).callsFake(async () => {
      expectWork("mail.send");
      return [{ ...row, _id: "3" }];
    });
    claim.onCall(2).resolves([]);
    expectWork("mail.send");
    for (const job of [await next(), await next()]) await finish(job as JobParameters);
    expect([(await next())?._id, await next()]).to.deep.equal(["3", undefined]);
    expect(claim.args.map(([, , , , most]) => most)).to.deep.equal([2, 2, 1]);
  });

  it("locks no more jobs than there are slots, however many ask at once, and goes on when one ends", async () => {
    const { next, claim, freed, expectWork, finish } = adapter({ slots: 2 });
    claim.onCall(0).resolves([0, 1].map((n) => ({ ...row, _id: String(n) })));
    claim.onCall(1).resolves([{ ...row, _id: "2" }]);
    expectWork("mail.send");
    const found = await Promise.all([next(), next(), next(), next()]);
    expect(found.map((job) => job?._id)).to.deep.equal(["0", "1", undefined, undefined]);
    expect(claim.callCount).to.equal(1);
    await finish(found[0] as JobParameters);
    await turn();
    expect(freed.args).to.deep.equal([["mail.send"]]);
    expect([(await next())?._id, claim.callCount]).to.deep.equal(["2", 2]);
    expect(claim.secondCall.args[4], "the slot that is free").to.equal(1);
  });

  it("locks one at a time where the store can no more", async () => {
    const { next, claim, table, expectWork } = adapter({ isOwn: false });
    table.mostClaimed = 1;
    for (const n of [0, 1]) claim.onCall(n).resolves([{ ...row, _id: String(n) }]);
    claim.resolves([]);
    expectWork("mail.send");
    expect([(await next())?._id, (await next())?._id, await next()]).to.deep.equal(["0", "1", undefined]);
    expect(claim.args.map(([, , , , most]) => most)).to.deep.equal([1, 1, 1]);
  });

  it("announces a slot while locked jobs wait for one, so that Agenda requests them", async () => {
    const { next, claim, freed, expectWork, finish, held } = adapter();
    claim.resolves([row, { ...row, _id: "2" }]);
    expectWork("mail.send");
    await finish((await next()) as JobParameters);
    await turn();
    expect([freed.args, [...held.keys()]]).to.deep.equal([[["mail.send"]], ["2"]]);
    expect((await next())?._id).to.equal("2");
  });

  it("takes over a word that came while it held the only slot and found nothing due", async () => {
    const { next, claim, dueNames, expectWork } = adapter({ slots: 1 });
    let answer: (times: Map<string, number[]>) => void = () => {};
    dueNames.returns(new Promise((resolve) => (answer = resolve)));
    claim.onFirstCall().resolves([row]);
    const searching = next();
    await turn();
    expectWork("mail.send");
    expect(await next()).to.equal(undefined);
    answer(new Map());
    expect((await searching)?._id).to.equal("1");
  });

  it("finds a job that Agenda had no slot for once more", async () => {
    const { next, claim, unlockJob, freed, held, repository, expectWork } = adapter();
    claim.resolves([row]);
    expectWork("mail.send");
    const job = (await next()) as JobParameters;
    await repository.unlockJob(job);
    await turn();
    expect([unlockJob.callCount, held.size, freed.args]).to.deep.equal([1, 0, [["mail.send"]]]);
    expect([(await next())?._id, claim.callCount]).to.deep.equal(["1", 2]);
  });
});

describe("a locked job", () => {
  it("stays locked from the search to its written end, and Agenda never finds its lock expired", async () => {
    const { next, claim, save, end, expectWork, repository, finish, held, isIdle } = adapter();
    claim.resolves([{ ...row, lockedAt: new Date(0) }]);
    expectWork("mail.send");
    const job = (await next()) as JobParameters;
    expect(job.lockedAt?.getTime()).to.be.above(Date.now() + 86_400_000);
    await repository.saveJobState(job, undefined);
    expect(save.callCount, "its start was written with the lock").to.equal(0);
    expect([[...held.keys()], isIdle()]).to.deep.equal([["1"], false]);
    let write: (handed: never[]) => void = () => {};
    end.returns(new Promise((resolve) => (write = resolve)));
    const ended = finish(job);
    await turn();
    expect(end.args).to.deep.equal([[{ id: "1", ordered: null }]]);
    expect(isIdle(), "its end is not written").to.equal(false);
    write([]);
    await ended;
    expect(isIdle()).to.equal(true);
  });

  it("ends its ordered job in the same statement", async () => {
    const { next, claim, end, expectWork, finish, endsWith } = adapter();
    claim.resolves([row]);
    expectWork("mail.send");
    const job = (await next()) as JobParameters;
    endsWith("1", "an ordered one");
    await finish(job);
    expect(end.args).to.deep.equal([[{ id: "1", ordered: "an ordered one" }]]);
  });

  it("whose end is not taken is written again", async () => {
    const { next, claim, end, expectWork, finish, isIdle } = adapter();
    claim.resolves([row]);
    expectWork("mail.send");
    const job = (await next()) as JobParameters;
    end.onFirstCall().rejects(new Error("the database is away"));
    await finish(job);
    while (!isIdle()) await turn();
    expect(end.callCount).to.equal(2);
  });

  it("that returns at once and is locked again stays locked for its second run", async () => {
    const { next, claim, save, expectWork, repository, held } = adapter();
    claim.resolves([row]);
    expectWork("mail.send");
    const job = (await next()) as JobParameters;
    let write: () => void = () => {};
    save.returns(new Promise<void>((resolve) => (write = resolve)));
    const ending = repository.saveJobState({ ...job, lockedAt: undefined } as never, undefined);
    expectWork("mail.send");
    await next();
    write();
    await ending;
    expect([...held.keys()]).to.deep.equal(["1"]);
  });

  it("elsewhere whose start cannot be written is unlocked, so that its lock expires", async () => {
    const { next, claim, save, expectWork, repository, isIdle } = adapter({ isOwn: false });
    claim.resolves([row]);
    expectWork("mail.send");
    const job = (await next()) as JobParameters;
    save.rejects(new Error("the database is away"));
    const failure = await repository.saveJobState(job, undefined).then(
      () => null,
      (error: Error) => error.message,
    );
    expect([failure, isIdle()]).to.deep.equal(["the database is away", true]);
  });

  it("goes back when the node stops before Agenda requested it", async () => {
    const { next, claim, unlock, expectWork, stop, returnWaiting, held } = adapter();
    claim.resolves([row, { ...row, _id: "2" }, { ...row, _id: "3" }]);
    expectWork("mail.send");
    await next();
    stop();
    await returnWaiting();
    expect([unlock.args, [...held.keys()]]).to.deep.equal([[[["2", "3"]]], ["1"]]);
    expect(await next()).to.equal(undefined);
  });

  it("goes back when the node began to stop during the search", async () => {
    const { next, claim, unlock, expectWork, isIdle, stop } = adapter();
    let answer: (jobs: JobParameters[]) => void = () => {};
    claim.returns(new Promise((resolve) => (answer = resolve)));
    expectWork("mail.send");
    const searching = next();
    await turn();
    stop();
    expect(isIdle()).to.equal(false);
    answer([row]);
    expect(await searching).to.equal(undefined);
    expect([unlock.args, isIdle()]).to.deep.equal([[[["1"]]], true]);
  });
});
