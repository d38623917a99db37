import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { catalogue } from "../../../core/declare/catalogue/catalogue.ts";
import { pageName } from "../../../services/api/errors/error-addresses.ts";
import { allErrorPages, meaningOf } from "../../../services/api/errors/error-list.ts";
import { errorPages } from "../../../services/api/guide/error-pages.ts";

const ROOT = path.join(import.meta.dirname, "../../..");
/** Files whose keys are not in answers: beginnings of keys, and errors of modules that are only planned. */
const OTHERS = /^(services\/api\/(openapi\/openapi-errors|errors\/error-addresses)|core\/declare\/catalogue\/awaited)\.ts$/;

const sources = globSync("{core,mixins,services,integrations,operator}/**/*.ts", { cwd: ROOT }).filter(
  (file) => !OTHERS.test(file),
);
const texts = sources.map((file) => readFileSync(path.join(ROOT, file), "utf8"));
const found = (pattern: RegExp): string[] =>
  [...new Set(texts.flatMap((text) => [...text.matchAll(pattern)].map(([, key]) => key as string)))].sort();

describe("the keys of refusals and of stored results", () => {
  const pages = allErrorPages();
  const pageOf = errorPages(() => "{}", "Kantoor API");

  it("have a page each, whether `message`, `fields` or a result carries them", () => {
    // `code errors.key` of a declaration names its message.
    const keys = found(/["'`\s]((?:impex\.)?errors\.[a-z_]\w*(?:\.\w+)*)["'`:]/g).filter((key) => !key.endsWith("_"));
    expect(keys.length).to.be.greaterThan(250);
    expect(keys.filter((key) => !pages.has(pageName(key)))).to.deep.equal([]);
  });

  it("that are put together have pages for their beginning", () => {
    const beginnings = found(/`((?:impex\.)?errors\.\w[\w.:]*)\$\{/g);
    expect(beginnings).to.include.members(["errors.uptime_", "errors.notification_channel_"]);
    const names = [...pages.keys()];
    expect(beginnings.filter((key) => !names.some((name) => name.startsWith(pageName(key))))).to.deep.equal([]);
  });

  it("that a module explains are carried by the code", () => {
    const explained = catalogue().built.flatMap(({ manifest }) =>
      Object.keys({ ...manifest.fieldTexts, ...manifest.resultTexts }),
    );
    expect(explained.length).to.be.greaterThan(90);
    expect(explained.filter((key, at) => explained.indexOf(key) !== at)).to.deep.equal([]);
    const whole = texts.filter((text) => !/ErrorTexts;$/m.test(text)).join("\n");
    const beginnings = found(/`(errors\.\w[\w.:]*)\$\{/g).map((key) => key.replace(/:$/, ""));
    const used = (key: string) =>
      new RegExp(`["'\`]${key}["'\`]`).test(whole) || beginnings.some((beginning) => key.startsWith(beginning));
    expect(explained.filter((key) => !used(key))).to.deep.equal([]);
  });

  it("have a meaning and a remedy in sentences", () => {
    for (const page of pages.values()) {
      const { when, remedy } = meaningOf(page);
      expect(when, page.name).to.match(/^[A-Z`].*\.$/);
      expect(remedy, page.name).to.match(/^[A-Z`].*\.$/);
    }
  });

  it("lead from each of their names to one page, with an example of where they are", () => {
    for (const name of [
      "errors.webhook_private_target",
      "errors.automation_unknown_trigger",
      "errors.tasks_recurrence_anchor:monthday",
    ])
      expect(pageOf(name).location, name).to.equal(`/api/docs/errors/${pageName(name)}`);
    const field = pageOf("webhook_private_target").body;
    expect(field).to.contain("&#34;code&#34;: &#34;validation&#34;").and.to.contain("&#34;errors.webhook_private_target&#34;");
    expect(field).to.contain("A field of <code>error.fields</code> has");
    const result = pageOf("automation_webhook_timeout").body;
    expect(result).to.contain("&#34;status&#34;: &#34;failed&#34;").and.to.contain("The receiver did not answer in time.");
  });
});
