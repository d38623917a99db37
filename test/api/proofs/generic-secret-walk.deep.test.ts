import { spawn } from "node:child_process";
import path from "node:path";
import { expect } from "chai";
import type { Walk } from "../../support/fixture/secret-walk.ts";

const ROOT = path.join(import.meta.dirname, "../../..");
const SCRIPT = `
  import { walkSecrets } from "${ROOT}/test/support/fixture/secret-walk.ts";
  process.send(await walkSecrets());
`;

describe("every secret of the document, when it is sent", function () {
  this.timeout(180_000);
  let [log, walk] = ["", { sent: [], leaks: [], asked: 0, rotated: {}, unopened: [] } as Walk];

  before(async () => {
    const flags = ["--disable-warning=ExperimentalWarning", "--input-type=module-typescript", "--eval", SCRIPT];
    const env = { ...process.env, TEST_LOG: "trace" };
    const child = spawn(process.execPath, flags, { cwd: ROOT, env, stdio: ["ignore", "pipe", "pipe", "ipc"] });
    for (const stream of [child.stdout, child.stderr]) stream?.setEncoding("utf8").on("data", (text: string) => (log += text));
    child.on("message", (message) => (walk = message as Walk));
    const status = await new Promise((resolve) => child.on("close", resolve));
    if (status !== 0) throw new Error(log.slice(-4000));
  });

  it("is accepted where it should be", () => {
    const statuses = new Map(walk.sent.map(({ field, status }) => [field, status]));
    expect(statuses.get("POST /fixture/vaults secret")).to.equal(201);
    expect([...statuses].filter(([, status]) => status >= 500)).to.deep.equal([]);
    expect(walk.asked).to.be.greaterThan(20);
    process.stdout.write(
      `    ${walk.sent.length} secret fields, ${walk.sent.filter(({ status }) => status < 300).length} taken\n`,
    );
  });

  it("is in no answer, no trail, no event, no remembered answer, and no table: a sealed text is in no answer either", () => {
    expect(walk.leaks).to.deep.equal([]);
  });

  it("is sealed for the very row a rotation finds it in, in every sealed column of the database", () => {
    expect(walk.unopened).to.deep.equal([]);
    expect(walk.rotated["fixture_vaults.secret"]).to.be.greaterThan(0);
    expect(Object.entries(walk.rotated).filter(([, values]) => values === 0)).to.deep.equal([]);
  });

  it("is in no line of the log, at its most talkative", () => {
    expect(log.length).to.be.greaterThan(1000);
    expect(walk.sent.filter(({ secret }) => log.includes(secret)).map(({ field }) => field)).to.deep.equal([]);
  });
});
