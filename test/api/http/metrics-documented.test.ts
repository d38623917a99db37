import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import { action } from "../../../core/declare/action.ts";
import { notifyListeners } from "../../../core/outbound/trace.ts";
import { service as actor } from "../../../mixins/resource.ts";
import { oneProcess } from "../../support/cluster/topology.ts";
import { until } from "../../support/jobs.ts";
import { freePort } from "../../support/ports.ts";
import { startService, type TestService } from "../../support/service.ts";

oneProcess("looks inside the node");

const ROOT = path.join(import.meta.dirname, "../../..");
const read = (file: string) => readFileSync(path.join(ROOT, file), "utf8");
/** Longest wait for the figures, in milliseconds. */
const LONGEST = 120_000;
/** A row of docs/metrics.md: name, type, labels, meaning. */
const ROW = /^\| `([a-z_]+)` \| (counter|gauge|histogram) \| ([^|]*) \| ([^|]+) \|$/gm;
/** A metric in an expression, with its matchers. */
const USED = /\b((?:kantoor|nodejs|process)_[a-z_]+)(?:\{([^}]*)\})?/g;
const MATCHER = /([a-zA-Z_]+)(=~|!~|!=|=)"([^"]*)"/g;
const LABELS = /([a-zA-Z_]+)="((?:[^"\\]|\\.)*)"/g;

interface Sample {
  name: string;
  labels: Record<string, string>;
}
/** A rule of deploy/grafana/alerts.yaml, whose lines are always these. */
const RULE = /- alert: (\w+)\n +expr: (.+)\n(?: +for: .+\n)? +labels: .+\n +annotations:\n +summary: (.+)\n +runbook: (.+)\n/g;

interface Panel {
  title: string;
  targets: { expr: string; legendFormat: string }[];
}

const samplesIn = (text: string): Sample[] =>
  [...text.matchAll(/^([a-z_]+)\{([^\n]*)\} \S+$/gm)].map(([, name, labels]) => ({
    name: name as string,
    labels: Object.fromEntries([...(labels as string).matchAll(LABELS)].map(([, label, value]) => [label, value])),
  }));

/** Whether a sample has what a matcher asks for; a variable of a dashboard chooses any value. */
function fits({ labels }: Sample, [, label = "", operator, wanted = ""]: RegExpMatchArray): boolean {
  const value = labels[label];
  if (value === undefined) return false;
  const pattern = new RegExp(`^(?:${wanted.startsWith("$") ? ".+" : wanted})$`);
  if (operator === "=" || operator === "!=") return (value === wanted) === (operator === "=");
  return pattern.test(value) === (operator === "=~");
}

const proof = actor("proof.metrics", {
  jobs: { "proof.work": { about: "Does nothing", async handler() {} } },
  actions: {
    broken: action({
      rest: "POST /proof/broken",
      summary: "Fails",
      permission: "companies.company.write",
      handler() {
        throw new Error("broken on purpose");
      },
    }),
  },
});

describe("the metrics of a running service", () => {
  let service: TestService;
  let samples: Sample[];
  let missing: string[] = [];
  before(async () => {
    const port = await freePort();
    service = await startService({ SERVICE_METRICS_PORT: String(port) }, [proof]);
    const tenant = await service.tenant();
    await service.sql.query(
      `insert into provider_troubles (provider, account, failures, last_failure, closed_until)
       values ('beacon', 'one', 5, 'timeout', now() + interval '1 hour')`,
    );
    const call = { provider: "beacon", account: "one", operation: "watch", method: "GET", requestId: null, attempt: 1 };
    notifyListeners({ ...call, status: null, failure: "timeout", began: Date.now(), milliseconds: 5 });
    expect((await tenant.owner.post("/proof/broken")).status).to.equal(500);
    await service.sql.query(
      "insert into outbox (id, organisation_id, job, payload, run_at) values (gen_random_uuid(), $1, 'proof.work', '{}', now())",
      [tenant.organisation.id],
    );
    // What a job leaves, and the figures that are read every 15 seconds.
    const awaited = ["kantoor_jobs_lag_seconds_bucket", "kantoor_jobs_duration_seconds_bucket", "nodejs_gc_duration_seconds_sum"];
    awaited.push("kantoor_organisation_requests", "kantoor_provider_troubles", "kantoor_outbox_waiting");
    samples = [];
    await until(async () => {
      await tenant.owner.get("/companies");
      await delay(500);
      samples.push(...samplesIn(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()));
      missing = awaited.filter((wanted) => !samples.some(({ name }) => name === wanted));
      return missing.length === 0;
    }, LONGEST).catch(() => expect(missing).to.deep.equal([]));
  });
  after(() => service.stop());

  it("are the rows of docs/metrics.md, with type and labels", () => {
    const store = (service.node.broker.metrics as unknown as { store: Map<string, { type: string; labelNames: string[] }> })
      .store;
    const exported = [...store].filter(([name]) => /^(kantoor|nodejs|process)\./.test(name));
    const registered = exported.map(
      ([name, { type, labelNames }]) => `${name.replaceAll(".", "_")} ${type} ${labelNames.toSorted().join(" ")}`,
    );
    const rows = [...read("docs/metrics.md").matchAll(ROW)].map(([, name, type, labels = ""]) => {
      const named = [...labels.matchAll(/`(\w+)`/g)].map(([, label]) => label as string);
      return `${name} ${type} ${named.toSorted().join(" ")}`;
    });
    expect(rows.toSorted()).to.deep.equal(registered.toSorted());
  });

  it("have a unit in the name of each figure with one, and _total on each counter and no other", () => {
    const rows = [...read("docs/metrics.md").matchAll(ROW)];
    const counters = rows.flatMap(([, name, type]) => ((type === "counter") === name?.endsWith("_total") ? [] : [name]));
    expect(counters).to.deep.equal([]);
    const histograms = rows.flatMap(([, name, type]) => (type !== "histogram" || name?.endsWith("_seconds") ? [] : [name]));
    expect(histograms).to.deep.equal([]);
  });

  /** The metrics of an expression without a sample that fits, and the labels it sums by that no sample has. */
  function lacking(expr: string, legend = ""): string[] {
    const used = [...expr.matchAll(USED)];
    if (used.length === 0) return [`${expr} names no metric`];
    const without = used.flatMap(([whole, name = "", matchers = ""]) => {
      const wanted = [...matchers.matchAll(MATCHER)];
      return samples.some((sample) => sample.name === name && wanted.every((one) => fits(sample, one))) ? [] : [whole];
    });
    const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, labels = ""]) =>
      labels.split(",").map((one) => one.trim()),
    );
    const shown = [...legend.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label as string);
    const of = samples.filter((sample) => used.some(([, name]) => name === sample.name));
    const unknown = [...grouped, ...shown].filter((label) => !of.some(({ labels }) => label in labels));
    return [...without, ...unknown.map((label) => `${label} in ${expr}`)];
  }

  for (const file of globSync("deploy/grafana/*.json", { cwd: ROOT }).sort())
    it(`fill every panel of ${path.basename(file)}`, () => {
      const { panels } = JSON.parse(read(file)) as { panels: Panel[] };
      expect(panels).to.have.length.above(5);
      const empty = panels.flatMap(({ title, targets }) =>
        targets.flatMap(({ expr, legendFormat }) => lacking(expr, legendFormat).map((what) => `${title}: ${what}`)),
      );
      expect(empty).to.deep.equal([]);
    });

  describe("and the alerts", () => {
    const file = read("deploy/grafana/alerts.yaml");
    const rules = [...file.matchAll(RULE)].map(([, alert = "", expr = "", summary = "", runbook]) => ({
      alert,
      expr,
      summary,
      runbook,
    }));

    it("exist under every name that a rule uses, with its labels", () => {
      expect(rules).to.have.length(file.split("- alert:").length - 1);
      const missing = rules.flatMap(({ alert, expr, summary }) =>
        lacking(expr, summary.replaceAll("$labels.", "").replaceAll(/\{\{ (\w+) \}\}/g, "{{$1}}")).map(
          (what) => `${alert}: ${what}`,
        ),
      );
      expect(missing).to.deep.equal([]);
    });

    it("have each a paragraph in docs/runbook.md, and no other is there", () => {
      const runbook = [...read("docs/runbook.md").matchAll(/^### (\w+)\n([^\n]{40,})$/gm)].map(([, name]) => name);
      expect(runbook).to.deep.equal(rules.map(({ alert }) => alert));
      for (const { alert, runbook: place } of rules) expect(place).to.equal(`docs/runbook.md#${alert.toLowerCase()}`);
    });
  });
});
