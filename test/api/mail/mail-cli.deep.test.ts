import { expect } from "chai";
import { cloneDatabase, type TestDatabase } from "../../support/database.ts";
import { cli, environmentOf } from "../cli/cli-support.ts";

describe("cli org mail", () => {
  let database: TestDatabase;
  before(async () => {
    database = await cloneDatabase();
    await cli(environmentOf(database), ["org", "create", "noord"]);
  });
  after(() => database.drop());
  const run = (state: string) => cli(environmentOf(database), ["org", "mail", state, "--org", "noord", "--json"]);

  it("lends an organisation the instance's transport, and withdraws it", async () => {
    expect((await run("off")).json).to.deep.equal({ organisation: "noord", instance_mail: false });
    expect((await run("on")).json).to.deep.equal({ organisation: "noord", instance_mail: true });
  });

  it("describes its options", async () => {
    const { status, err } = await run("maybe");
    expect(status).not.to.equal(0);
    expect(err).to.contain("'maybe' is neither on nor off.");
  });
});
