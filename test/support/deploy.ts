import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { loadAll, YAML11_SCHEMA } from "js-yaml";
import { readEnvironment, unknownSettings } from "../../core/config/config.ts";
import { settings } from "../../core/config/settings.ts";
import groups from "../../deploy/groups.json" with { type: "json" };
import { transporterOf } from "../../operator/transporter.ts";

const ROOT = path.join(import.meta.dirname, "../..");
export const DEPLOY = path.join(ROOT, "deploy");

// biome-ignore lint/suspicious/noExplicitAny: what a file of YAML contains
export type Parsed = any;

export const textOf = (file: string): string => readFileSync(path.join(DEPLOY, file), "utf8");

/** The documents of a file of YAML, with the merge keys and octal numbers that compose and Kubernetes read. */
export const yamlOf = (file: string): Parsed[] => loadAll(textOf(file), { schema: YAML11_SCHEMA });

/** Groups of actors, by name. */
export const GROUPS: Record<string, { about: string; actors: string[] }> = groups;

/** The group of a node that is started with these words after `node`; undefined if no group has exactly these patterns. */
export const groupOf = (patterns: readonly string[]): string | undefined =>
  Object.keys(GROUPS).find((name) => JSON.stringify(GROUPS[name]?.actors) === JSON.stringify(patterns));

/** Settings that hold a secret, by variable. */
export const SECRETS: string[] = Object.values(settings).flatMap((setting) => ("isSecret" in setting ? [setting.name] : []));

/** A folder with the secrets that `deploy/secrets.sh` makes. The run of the tests removes it with its other files. */
export function makeSecrets(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "kantoor-secrets-"));
  execFileSync(path.join(DEPLOY, "secrets.sh"), [folder, "postgres.example"]);
  return folder;
}

/**
 * What is wrong with the environment of a node, in sentences. Secrets are looked up in a folder that `makeSecrets` made.
 * @param from where the node sees its secrets
 * @param mounted names of the secrets that it is given
 */
export function faultsOf(
  environment: Record<string, string>,
  folder: string,
  from: string,
  mounted: readonly string[],
): string[] {
  const faults: string[] = [];
  const local = Object.entries(environment).map(([name, value]) => {
    if (!name.endsWith("_FILE")) return [name, value];
    const file = path.posix.basename(value);
    if (value !== `${from}/${file}` || !mounted.includes(file))
      faults.push(`${name} names ${value}, which the node is not given.`);
    return [name, path.join(folder, file)];
  });
  for (const [name, value] of Object.entries(environment))
    if (value !== "" && SECRETS.includes(name) && !(name === "TRANSPORTER" && !value.includes("@")))
      faults.push(`${name} is no file.`);
  faults.push(...unknownSettings(environment).map(({ name }) => `${name} is not a setting of the service.`));
  const read = readEnvironment(Object.fromEntries(local));
  faults.push(...read.faults);
  if (read.faults.length === 0) transporterOf(read.config);
  return faults;
}
