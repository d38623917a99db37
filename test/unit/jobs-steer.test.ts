import { setImmediate as turn } from "node:timers/promises";
import type { JobParameters } from "agenda";
import { expect } from "chai";
import sinon from "sinon";
import { steer, type Table } from "../../core/jobs/table.ts";

/** A table whose searches are answered by the test. */
function steered() {
  const repository = {
    getNextJobToRun: sinon.stub(),
    saveJobState: sinon.stub().resolves(),
    unlockJob: sinon.stub().resolves(),
  };
  const [fetch, unlock, save] = [repository.getNextJobToRun, repository.unlockJob, repository.saveJobState];
  const dueNames = sinon.stub().resolves(new Map());
  const freed = sinon.spy();
  const table = { own: true, repository, dueNames, remove: sinon.stub().resolves() } as unknown as Table;
  const { expect: expectWork } = steer(table, {
    lockOf: () => 1000,
    names: () => ["mail.send"],
    isStopped: () => false,
    wake: () => {},
    freed,
  });
  const next = () => table.repository.getNextJobToRun("mail.send", new Date(), new Date(), undefined, {});
  return { table, fetch, unlock, save, freed, dueNames, expectWork, next };
}
const row = { _id: "1", name: "mail.send", nextRunAt: new Date(0) } as unknown as JobParameters;

describe("the search for work", () => {
  it("costs nothing of its own for a name without work", async () => {
    const { next, fetch, dueNames } = steered();
    expect(await next()).to.equal(undefined);
    expect(dueNames.callCount).to.equal(1);
    expect(fetch.callCount).to.equal(0);
  });

  it("is made again after a word that came while another found nothing", async () => {
    const { next, fetch, freed, expectWork, table } = steered();
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
    const { next, fetch, freed, expectWork, table } = steered();
    fetch.resolves(undefined);
    expectWork("mail.send");
    await next();
    await table.repository.saveJobState({ ...row, nextRunAt: null } as JobParameters, undefined);
    await turn();
    expect(freed.callCount).to.equal(0);
  });

  it("is made again once a job that was taken in vain is free", async () => {
    const { unlock, freed, table } = steered();
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
