import { MongoJobRepository } from "@agendajs/mongo-backend";
import type { JobParameters } from "agenda";
import { expect } from "chai";
import { Collection, MongoClient } from "mongodb";
import sinon from "sinon";
import { MongoTable } from "../../../core/jobs/queue/mongo.ts";

describe("the queue in a MongoDB", () => {
  const sandbox = sinon.createSandbox();
  afterEach(() => sandbox.restore());

  it("is claimed from by Agenda's own search, and cleared of a job that ended", async () => {
    sandbox.stub(MongoClient.prototype, "connect").resolvesThis();
    sandbox.stub(MongoClient.prototype, "close").resolves();
    sandbox.stub(MongoJobRepository.prototype, "connect").resolves();
    sandbox.stub(Collection.prototype, "createIndex").resolves("");
    const remove = sandbox.stub(Collection.prototype, "deleteOne").resolves();
    const row = { _id: "1".repeat(24), name: "mail.send" } as unknown as JobParameters;
    const search = sandbox.stub(MongoJobRepository.prototype, "getNextJobToRun").resolves(row);
    const table = new MongoTable("mongodb://127.0.0.1:1/kantoor");
    await table.connect();
    const [now, deadline] = [new Date(2_000), new Date(1_000)];
    expect(await table.claim("mail.send", now, deadline, "this one")).to.deep.equal([row]);
    search.resolves(undefined);
    expect(await table.claim("mail.send", now, deadline, "this one")).to.deep.equal([]);
    const asked = ["mail.send", now, deadline, now, { lastModifiedBy: "this one" }];
    expect(search.args).to.deep.equal([asked, asked]);
    expect(await table.end({ id: "1".repeat(24), ordered: null })).to.deep.equal([]);
    expect(JSON.stringify(remove.args)).to.equal(JSON.stringify([[{ _id: "1".repeat(24) }]]));
    await table.disconnect();
  });
});
