import { setImmediate as turn } from "node:timers/promises";
import type { JobParameters } from "agenda";
import { expect } from "chai";
import sinon from "sinon";
import { adaptTable, type Table } from "../../../core/jobs/table.ts";

/** A table whose searches are answered by the test. */
function adapter() {
  const repository = {
    getNextJobToRun: sinon.stub(),
    saveJobState: sinon.stub().resolves(),
    unlockJob: sinon.stub().resolves(),
    unlockJobs: sinon.stub().resolves(),
  };
  const [fetch, unlock, save] = [repository.getNextJobToRun, repository.unlockJob, repository.saveJobState];
  const dueNames = sinon.stub().resolves(new Map());
  const freed = sinon.spy();
  const table = { own: true, repository, dueNames, remove: sinon.stub().resolves() } as unknown as Table;
  let isStopped = false;
  const {
    expect: expectWork,
    held,
    isIdle,
  } = adaptTable(table, {
    lockOf: () => 1000,
    names: () => ["mail.send"],
    isStopped: () => isStopped,
    notify: () => {},
    freed,
  });
  const next = () => table.repository.getNextJobToRun("mail.send", new Date(), new Date(), undefined, {});
  const stop = () => void (isStopped = true);
  return { table, fetch, unlock, save, freed, dueNames, expectWork, next, held, isIdle, stop };
}
const row = { _id: "1", name: "mail.send", nextRunAt: new Date(0) } as unknown as JobParameters;

describe("the search for work", () => {
  it("costs nothing of its own for a name without work", async () => {
    const { next, fetch, dueNames } = adapter();
    expect(await next()).to.equal(undefined);
    expect(dueNames.callCount).to.equal(1);
    expect(fetch.callCount).to.equal(0);
  });

  it("is made again after a word that came while another found nothing", async () => {
    const { next, fetch, freed, expectWork, table } = adapter();
    let answer: (job: undefined) => void = () => {};
    fetch.onFirstCall().returns(new Promise((resolve) => (answer = resolve)));
    expectWork("mail.send");
    const searching = next();
    // The places are taken just now, so nobody searches at this word; whoever ends must.
    expectWork("mail.send");
    answer(undefined);
    expect(await searching).to.equal(undefined);
    await table.repository.saveJobState({ ...row, nextRunAt: null } as JobParameters, undefined);
    await turn();
    expect(freed.args).to.deep.equal([["mail.send"]]);
  });

  it("ends when the last word has been looked into", async () => {
    const { next, fetch, freed, expectWork, table } = adapter();
    fetch.resolves(undefined);
    expectWork("mail.send");
    await next();
    await table.repository.saveJobState({ ...row, nextRunAt: null } as JobParameters, undefined);
    await turn();
    expect(freed.callCount).to.equal(0);
  });

  it("is made again once a job that was taken in vain is free", async () => {
    const { unlock, freed, table } = adapter();
    let free: () => void = () => {};
    unlock.returns(new Promise<void>((resolve) => (free = resolve)));
    const giving = table.repository.unlockJob(row);
    await turn();
    expect(freed.callCount).to.equal(0);
    free();
    await giving;
    expect(freed.args).to.deep.equal([["mail.send"]]);
  });
});

describe("a locked job", () => {
  it("is held from the search to its written end, and Agenda never finds its lock run out", async () => {
    const { next, fetch, save, expectWork, table, held, isIdle } = adapter();
    fetch.resolves({ ...row, lockedAt: new Date(0) });
    expectWork("mail.send");
    const job = (await next()) as JobParameters;
    expect(job.lockedAt?.getTime()).to.be.above(Date.now() + 86_400_000);
    await table.repository.saveJobState(job, undefined);
    expect(save.firstCall.args[0].lockedAt.getTime()).to.be.closeTo(Date.now(), 1_000);
    expect([[...held.keys()], isIdle()]).to.deep.equal([["1"], false]);
    let write: () => void = () => {};
    (table.remove as sinon.SinonStub).returns(new Promise<void>((resolve) => (write = resolve)));
    const ending = table.repository.saveJobState({ ...job, lockedAt: undefined, nextRunAt: null } as never, undefined);
    await turn();
    expect(isIdle()).to.equal(false);
    write();
    await ending;
    expect(isIdle()).to.equal(true);
  });

  it("that comes back at once and is locked anew is held for its second run", async () => {
    const { next, fetch, save, expectWork, table, held } = adapter();
    fetch.resolves(row);
    expectWork("mail.send");
    const job = (await next()) as JobParameters;
    let write: () => void = () => {};
    save.returns(new Promise<void>((resolve) => (write = resolve)));
    const ending = table.repository.saveJobState({ ...job, lockedAt: undefined } as never, undefined);
    await next();
    write();
    await ending;
    expect([...held.keys()]).to.deep.equal(["1"]);
  });

  it("whose start cannot be written is held no longer, so that its lock runs out", async () => {
    const { next, fetch, save, expectWork, table, isIdle } = adapter();
    fetch.resolves(row);
    expectWork("mail.send");
    const job = (await next()) as JobParameters;
    save.rejects(new Error("the database is away"));
    const failure = await table.repository.saveJobState(job, undefined).then(
      () => null,
      (error: Error) => error.message,
    );
    expect([failure, isIdle()]).to.deep.equal(["the database is away", true]);
  });

  it("goes back when the node began to stop during the search", async () => {
    const { next, fetch, unlock, expectWork, isIdle, stop } = adapter();
    let answer: (job: unknown) => void = () => {};
    fetch.returns(new Promise((resolve) => (answer = resolve)));
    expectWork("mail.send");
    const searching = next();
    stop();
    expect(isIdle()).to.equal(false);
    answer(row);
    expect(await searching).to.equal(undefined);
    expect([unlock.callCount, isIdle()]).to.deep.equal([1, true]);
  });
});
