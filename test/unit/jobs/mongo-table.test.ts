import { MongoJobRepository } from "@agendajs/mongo-backend";
import type { JobParameters } from "agenda";
import { expect } from "chai";
import { Collection, MongoClient } from "mongodb";
import sinon from "sinon";
import { MongoTable } from "../../../core/jobs/queue/mongo.ts";

describe("the queue in a MongoDB", () => {
  const sandbox = sinon.createSandbox();
  afterEach(() => sandbox.restore());

  it("is claimed from by Agenda's own search, one by one up to the wanted number, and cleared of many in one statement", async () => {
    sandbox.stub(MongoClient.prototype, "connect").resolvesThis();
    sandbox.stub(MongoClient.prototype, "close").resolves();
    sandbox.stub(MongoJobRepository.prototype, "connect").resolves();
    sandbox.stub(Collection.prototype, "createIndex").resolves("");
    const remove = sandbox.stub(Collection.prototype, "deleteMany").resolves();
    const search = sandbox.stub(MongoJobRepository.prototype, "getNextJobToRun");
    const row = (n: number) => ({ _id: String(n).repeat(24), name: "mail.send" }) as unknown as JobParameters;
    for (const n of [1, 2]) search.onCall(n - 1).resolves(row(n));
    const table = new MongoTable("mongodb://127.0.0.1:1/kantoor");
    await table.connect();
    const [now, deadline] = [new Date(2_000), new Date(1_000)];
    expect(await table.claim("mail.send", now, deadline, 5, "this one")).to.deep.equal([row(1), row(2)]);
    expect(search.args[0]).to.deep.equal(["mail.send", now, deadline, now, { lastModifiedBy: "this one" }]);
    search.resolves(row(3));
    expect((await table.claim("mail.send", now, deadline, 1, "this one")).length).to.equal(1);
    const ends = [1, 2].map((n) => ({ id: String(n).repeat(24), ordered: null }));
    expect(await table.end(ends)).to.deep.equal([]);
    expect(remove.callCount).to.equal(1);
    expect(JSON.stringify(remove.firstCall.args[0])).to.equal(JSON.stringify({ _id: { $in: ends.map(({ id }) => id) } }));
    await table.disconnect();
  });
});
