import { globSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { selectActors } from "../../../operator/actor-patterns.ts";
import { GROUPS } from "../../support/deploy.ts";
import { prepareRuntime } from "../../support/runtime.ts";

const ROOT = path.join(import.meta.dirname, "../../..");

describe("the groups of actors", function () {
  this.timeout(120_000);
  it("have each actor exactly once, and the gateway in one of its own", async () => {
    prepareRuntime();
    const files = globSync("{services,integrations}/**/*.service.ts", { cwd: ROOT });
    const actors = await Promise.all(
      files.map(async (file) => ({ file, name: (await import(path.join(ROOT, file))).default.name as string })),
    );
    const members = Object.values(GROUPS).flatMap(({ actors: patterns }) =>
      selectActors(patterns, actors).map(({ name }) => name),
    );
    expect(members.sort()).to.deep.equal(actors.map(({ name }) => name).sort());
    expect(GROUPS["gateways"]?.actors).to.deep.equal(["api"]);
  });
});
