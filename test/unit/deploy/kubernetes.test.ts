import { execFileSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { load, loadAll } from "js-yaml";
import { LIVE, READY } from "../../../core/health/readiness.ts";
import manifest from "../../../package.json" with { type: "json" };
import { DEPLOY, faultsOf, GROUPS, groupOf, makeSecrets, type Parsed, yamlOf } from "../../support/deploy.ts";

const SECRETS = "/run/secrets/kantoor";
const OVERLAYS = ["small", "large"];

const kustomization = (folder: string): Parsed => yamlOf(`kubernetes/${folder}/kustomization.yaml`)[0];
const literalsOf = ({ configMapGenerator }: Parsed): Record<string, string> =>
  Object.fromEntries(
    configMapGenerator[0].literals.map((literal: string) => [literal.split("=")[0], literal.slice(literal.indexOf("=") + 1)]),
  );
const base = kustomization("base");
const objects: Parsed[] = base.resources.flatMap((file: string) => yamlOf(`kubernetes/base/${file}`));
const byKind = (kind: string) => objects.filter((object) => object.kind === kind);
const podOf = ({ kind, spec }: Parsed): Parsed => (kind === "CronJob" ? spec.jobTemplate.spec.template.spec : spec.template.spec);
const workloads = objects.filter(({ kind }) => ["Deployment", "Job", "CronJob"].includes(kind));
const deployments = byKind("Deployment");
const readRoot = (file: string) => readFileSync(path.join(DEPLOY, "..", file), "utf8");

/** A folder of Kustomize as kubectl renders it; null where kubectl is not installed. */
function renderedBy(folder: string): string | null {
  try {
    return execFileSync("kubectl", ["kustomize", folder], { encoding: "utf8" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    process.stdout.write("    not run: kubectl is not installed\n");
    return null;
  }
}

describe("deploy/kubernetes", () => {
  const folder = makeSecrets();

  it("has one Deployment, budget and autoscaler per group, with the patterns of the group", () => {
    for (const kind of ["Deployment", "PodDisruptionBudget", "HorizontalPodAutoscaler"])
      expect(
        byKind(kind).map(({ metadata }) => metadata.name),
        kind,
      ).to.deep.equal(Object.keys(GROUPS));
    for (const deployment of deployments) {
      const [word, ...patterns] = podOf(deployment).containers[0].args;
      expect([word, groupOf(patterns)]).to.deep.equal(["node", deployment.metadata.name]);
    }
    expect(byKind("Job").map((job) => podOf(job).containers[0].args)).to.deep.equal([["cli", "migrate"]]);
  });

  it("probes live and ready at the ports where the nodes listen", () => {
    const { SERVICE_HEALTH_PORT: health, SERVICE_METRICS_PORT: metrics } = literalsOf(base);
    for (const deployment of deployments) {
      const { ports, startupProbe, livenessProbe, readinessProbe } = podOf(deployment).containers[0];
      const isGateway = deployment.metadata.name === "gateways";
      expect(ports).to.deep.equal([
        { name: isGateway ? "http" : "health", containerPort: isGateway ? 3000 : Number(health) },
        { name: "metrics", containerPort: Number(metrics) },
      ]);
      const probes = [startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => [httpGet.path, httpGet.port]);
      expect(probes).to.deep.equal([LIVE, LIVE, READY].map((probe) => [probe, ports[0].name]));
    }
  });

  for (const overlay of OVERLAYS) {
    const settings = { ...literalsOf(base), ...literalsOf(kustomization(overlay)) };
    for (const workload of workloads)
      it(`gives ${workload.metadata.name} of ${overlay} settings that they can start with, and every secret as a file`, () => {
        const { containers, volumes } = podOf(workload);
        const own = containers[0].env.map(({ name, value }: Parsed) => [name, value ?? `${workload.metadata.name}-1`]);
        const { secret } = volumes.find(({ name }: Parsed) => name === "secrets");
        const mounted = secret.items.map((item: Parsed) => item.path);
        expect(faultsOf({ ...settings, ...Object.fromEntries(own) }, folder, SECRETS, mounted)).to.deep.equal([]);
        expect(secret.items.every(({ key, path: file }: Parsed) => key === file)).to.equal(true);
        expect(secret.defaultMode).to.equal(0o440);
      });

    it(`keeps files where every node of ${overlay} reaches them`, () => {
      const { patches } = kustomization(overlay);
      const shares = patches.some(
        ({ target, patch }: Parsed) => target.kind === "Deployment" && /volumes\/0.*claimName: data/.test(patch),
      );
      expect(shares).to.equal(settings["SERVICE_FILES_BUCKET"] === undefined);
    });

    it(`names the version of the image of ${overlay}`, () => {
      expect(kustomization(overlay).images).to.deep.equal([
        { name: "kantoor", newName: "registry.example/kantoor", newTag: manifest.version },
      ]);
    });

    it(`is rendered by kubectl (${overlay})`, function () {
      const rendered = renderedBy(path.join(DEPLOY, "kubernetes", overlay));
      if (rendered === null) return this.skip();
      expect(rendered.match(/^kind: Deployment$/gm)).to.have.length(2);
      expect(rendered).not.to.match(/image: .*:latest|image: [^:]+$/m);
    });
  }

  it("runs pods as the user of the service, without rights, on a read-only root", () => {
    for (const workload of workloads) {
      const { securityContext, automountServiceAccountToken, containers, volumes } = podOf(workload);
      expect(automountServiceAccountToken).to.equal(false);
      expect(securityContext).to.include({ runAsNonRoot: true, runAsUser: 10001, fsGroup: 10001 });
      expect(containers).to.have.length(1);
      expect(containers[0].securityContext).to.deep.equal({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ["ALL"] },
      });
      const mounts = containers[0].volumeMounts.map(({ name }: Parsed) => name).sort();
      expect(volumes.map(({ name }: Parsed) => name).sort()).to.deep.equal(mounts);
      expect(volumes[0].name, "the overlay for a shared volume replaces the first").to.equal("data");
    }
  });

  it("lets nobody but the Ingress controller and the monitoring reach a pod", () => {
    const rules = byKind("NetworkPolicy").flatMap(({ spec }) => spec.ingress ?? []);
    expect(rules.map(({ ports }) => ports[0].port)).to.deep.equal([3000, 9464]);
    expect(byKind("NetworkPolicy")[0].spec.policyTypes).to.deep.equal(["Ingress", "Egress"]);
  });

  describe("the component that scales by the queue", () => {
    const component = kustomization("queue");
    const [{ target, patch }] = component.patches;
    const [rule] = yamlOf("prometheus-adapter.yaml")[0].externalRules;

    it("asks for the metric that the rules of prometheus-adapter make of one of the service's own", () => {
      expect([component.kind, target]).to.deep.equal(["Component", { kind: "HorizontalPodAutoscaler", name: "workers" }]);
      const [added] = load(patch) as Parsed[];
      expect(added.path).to.equal("/spec/metrics/-");
      expect(added.value.external.metric.name).to.equal(rule.name.as);
      expect(readRoot("docs/metrics.md")).to.contain(`| \`${rule.seriesQuery}\` | gauge |`);
    });

    it("adds it to the autoscaler of an overlay, next to the processor time", function () {
      const folder = mkdtempSync(path.join(tmpdir(), "kantoor-kustomize-"));
      const to = (name: string) => path.relative(folder, path.join(DEPLOY, "kubernetes", name));
      const overlay = { kind: "Kustomization", resources: [to("large")], components: [to("queue")] };
      writeFileSync(path.join(folder, "kustomization.yaml"), JSON.stringify(overlay));
      try {
        const rendered = renderedBy(folder);
        if (rendered === null) return this.skip();
        const autoscalers = (loadAll(rendered) as Parsed[]).filter(({ kind }) => kind === "HorizontalPodAutoscaler");
        const typesOf = autoscalers.map(({ metadata, spec }) => [metadata.name, ...spec.metrics.map(({ type }: Parsed) => type)]);
        expect(typesOf).to.deep.equal([
          ["gateways", "Resource"],
          ["workers", "Resource", "External"],
        ]);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    });
  });

  it("lists every file", () => {
    const files = globSync("kubernetes/**/*.yaml", { cwd: DEPLOY }).map((file) => file.replace("kubernetes/", ""));
    const listed = ["base", "queue", ...OVERLAYS].flatMap((each) => [
      `${each}/kustomization.yaml`,
      ...(kustomization(each).resources ?? [])
        .filter((name: string) => name.endsWith(".yaml"))
        .map((name: string) => `${each}/${name}`),
    ]);
    expect(files.sort()).to.deep.equal(listed.sort());
  });
});
