import { type GivenSetting, readEnvironment } from "../../core/config/config.ts";
import type { Finding } from "../../operator/doctor/finding.ts";
import { type Command, columns, type Outcome } from "../command.ts";

/** A secret as it may be shown: of an address everything but user, password and query, of anything else nothing. */
function withoutSecret(text: string): string {
  const parts = text.split(",").map((part) => part.trim());
  if (!parts.every((part) => /^[a-z+]+:\/\//.test(part) && URL.canParse(part))) return "(secret)";
  return parts
    .map((part) => new URL(part))
    .map(({ protocol, host, pathname }) => `${protocol}//${host}${pathname}`)
    .join(", ");
}

function shown({ setting: { name, isSecret }, from, text }: GivenSetting) {
  return { name, value: text === undefined ? null : isSecret ? withoutSecret(text) : text, from };
}

/** Findings as lines, and the refusal if one of them is a fault. */
async function outcomeOf(findings: readonly Finding[], tried: string): Promise<Outcome> {
  const faults = findings.filter(({ state }) => state === "fault").length;
  const lines = findings.flatMap(({ state, check, found, remedy }) => [
    [state, check, found],
    ...(remedy ? [["", "", remedy]] : []),
  ]);
  return {
    json: { findings },
    text: columns(lines),
    ...(faults > 0 && { refused: `${faults} ${faults === 1 ? "fault" : "faults"} in ${tried}.` }),
  };
}

export const configurationCommands: readonly Command[] = [
  {
    name: "config check",
    about: "Say what is wrong with the settings, before a start",
    details: ["Opens and calls nothing; `doctor` tries what the settings name."],
    async unopened({ env }) {
      const { checkSettings } = await import("../../operator/doctor/doctor.ts");
      return outcomeOf(checkSettings(readEnvironment(env), env), "the settings");
    },
  },
  {
    name: "config show",
    about: "Show the settings that hold, and where each is from, without secrets",
    options: { all: { about: "Defaults and settings that are not set, too" } },
    async unopened({ env, flag }) {
      const { given, faults } = readEnvironment(env);
      const wanted = given.filter(({ from }) => flag("all") || from === "environment" || from === "file").map(shown);
      return {
        json: { settings: wanted },
        text:
          wanted.length === 0
            ? ["No setting is given: all have their defaults."]
            : columns([["setting", "value", "from"], ...wanted.map(({ name, value, from }) => [name, value ?? "", from])]),
        ...(faults.length > 0 && { refused: faults.join(" ") }),
      };
    },
  },
  {
    name: "doctor",
    about: "Try what a node needs: settings, database, NATS, mail, files, names, disk and browser",
    details: [
      "Run it where the node runs, with the node's settings. It starts an embedded database that does not run, stores and removes one small file in the bucket, and changes nothing else.",
    ],
    async unopened({ env }) {
      const { examine } = await import("../../operator/doctor/doctor.ts");
      return outcomeOf(await examine(readEnvironment(env), env), "what this node needs");
    },
  },
];
