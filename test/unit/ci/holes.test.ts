import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";

const SCRIPT = path.join(import.meta.dirname, "../../../.ci/holes.mjs");

const hole = (severity: string, advisory: string) => ({
  name: "parser",
  via: [{ name: "parser", severity, title: "Reads too much", url: `https://advisories.example/${advisory}` }],
});
const exception = (until: string) => [{ advisory: "GHSA-1", reason: "the parser reads our own files only", until }];

describe(".ci/holes.mjs", () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "kantoor-holes-"));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  /** The status and output for the answer of npm audit. */
  async function check(answer: string, excepted: object = []): Promise<{ status: number; output: string }> {
    const [report, exceptions] = [path.join(folder, "report.json"), path.join(folder, "exceptions.json")];
    await writeFile(report, answer);
    await writeFile(exceptions, JSON.stringify(excepted));
    return new Promise((done) =>
      execFile(process.execPath, [SCRIPT, report, exceptions], (error, stdout, stderr) =>
        done({ status: Number(error?.code ?? 0), output: stdout + stderr }),
      ),
    );
  }
  const answer = (...vulnerabilities: object[]) =>
    JSON.stringify({ vulnerabilities: Object.fromEntries(vulnerabilities.map((one, index) => [`package-${index}`, one])) });

  it("passes without holes, and with moderate ones", async () => {
    expect((await check(answer())).status).to.equal(0);
    expect((await check(answer(hole("moderate", "GHSA-1")))).status).to.equal(0);
  });

  it("fails on a high or critical hole and names it once, whatever depends on it", async () => {
    const { status, output } = await check(answer(hole("critical", "GHSA-1"), { via: ["parser"] }, hole("critical", "GHSA-1")));
    expect(status).to.equal(1);
    expect(output).to.equal(
      "critical parser https://advisories.example/GHSA-1 Reads too much\n1 severe holes in production packages, 1 of them open\n",
    );
  });

  it("accepts an exception until its date, and requires its reason", async () => {
    expect((await check(answer(hole("high", "GHSA-1")), exception("2999-01-01"))).status).to.equal(0);
    expect((await check(answer(hole("high", "GHSA-1")), exception("2020-01-01"))).status).to.equal(1);
    expect((await check(answer(hole("high", "GHSA-2")), exception("2999-01-01"))).status).to.equal(1);
    const { status, output } = await check(answer(), [{ advisory: "GHSA-1", until: "2999-01-01" }]);
    expect(status).to.equal(1);
    expect(output).to.contain("needs advisory, reason and until");
  });

  it("is skipped with a sentence when the registry gives no answer", async () => {
    for (const none of ["", '{"message":"405 Method Not Allowed","error":{}}']) {
      const { status, output } = await check(none);
      expect(status).to.equal(77);
      expect(output).to.match(/^Not checked for known holes: /);
    }
  });
});
