import { type ReadEnvironment, unknownSettings } from "../../core/config/config.ts";
import { checkDatabase } from "./database-check.ts";
import { type Finding, fault, ok, warning } from "./finding.ts";
import { checkBrowser, checkBucket, checkDisk, checkMail, checkNames, checkTransport } from "./reach.ts";

/** What the settings themselves say: faults, which prevent a start, and names that the service ignores. */
export function checkSettings({ given, faults }: ReadEnvironment, environment: NodeJS.ProcessEnv): Finding[] {
  const wrong = faults.map((sentence) => fault("settings", sentence, "Correct it: the service does not start with it."));
  const ignored = unknownSettings(environment)
    .filter(({ isMisspelt }) => !isMisspelt)
    .map(({ name, nearest }) =>
      warning("settings", `${name} is ignored: it is not a setting; the nearest is ${nearest}.`, "Remove or correct it."),
    );
  const set = given.filter(({ from }) => from === "environment" || from === "file").length;
  return wrong.length + ignored.length > 0 ? [...wrong, ...ignored] : [ok("settings", `All settings are valid (given: ${set}).`)];
}

/** Tries everything that a node with these settings needs, each thing once. With wrong settings it tries nothing else. */
export async function examine(read: ReadEnvironment, environment: NodeJS.ProcessEnv): Promise<Finding[]> {
  const settings = checkSettings(read, environment);
  if (read.faults.length > 0) return settings;
  const { config } = read;
  const found = await Promise.all([
    checkDatabase(config),
    checkDisk(config),
    checkTransport(config),
    checkMail(config),
    checkBucket(config),
    checkNames(config),
    checkBrowser(config),
  ]);
  return [...settings, ...found.flat().filter((finding) => finding !== null)];
}
