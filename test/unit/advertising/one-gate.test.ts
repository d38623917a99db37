import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";

const ROOT = path.join(import.meta.dirname, "../../..");
const files = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "*.ts"], { cwd: ROOT, encoding: "utf8" })
  .trim()
  .split("\n")
  .filter((file) => !file.startsWith("test/"));
const importing = (name: string) =>
  files.filter((file) =>
    new RegExp(`["'][./]*(?:[\\w./-]*/)?${name}\\.ts["']`).test(readFileSync(path.join(ROOT, file), "utf8")),
  );

describe("writes at Google Ads", () => {
  it("go through one module, which only the gate of the writes imports", () => {
    const found = importing("google-ads/mutate");
    expect(found.filter((file) => !/^integrations\/advertising\/writes\/gate\/sending\.ts$/.test(file))).to.deep.equal([]);
    expect(found.length).to.be.at.most(1);
    const senders = importing("sending").filter((file) => file.startsWith("integrations/advertising/"));
    expect(senders, "which goes through policy and kill switch").to.deep.equal(["integrations/advertising/writes/gate/gate.ts"]);
  });

  it("have no other way to the transport: only mixins/google-ads sends", () => {
    expect(importing("google-ads/calling")).to.deep.equal([]);
    const senders = files.filter((file) => /\bsendWrite\b/.test(readFileSync(path.join(ROOT, file), "utf8")));
    expect(senders).to.have.members(["mixins/google-ads/calling.ts", "mixins/google-ads/mutate.ts"]);
  });

  it("need no client of the vendor", () => {
    const vendor = /["'](google-ads-api|google-ads-node|@google-ads\/[\w-]+)["']/;
    expect(files.filter((file) => vendor.test(readFileSync(path.join(ROOT, file), "utf8")))).to.deep.equal([]);
  });
});
