import { catalogue, errorCatalogue } from "../../../core/declare/catalogue/catalogue.ts";
import { webhookEvents } from "../../../core/declare/record-events.ts";
import { EVENTS_OF_INTEREST } from "../../../services/notifications/preferences/event-kinds.ts";
import { EXCEPTED } from "./excepted.ts";
import { OF_OAUTH } from "./seen.ts";

/** Everything that built modules declare and a test must produce through the API. */
export function declared(): string[] {
  const { mails, sms, built } = catalogue();
  return [
    // People can subscribe to an event before the module that emits it is built.
    ...[...new Set([...Object.keys(webhookEvents()), ...Object.keys(EVENTS_OF_INTEREST)])].map((name) => `event ${name}`),
    ...Object.keys(mails).map((name) => `mail ${name}`),
    ...Object.keys(sms).map((name) => `sms ${name}`),
    ...errorCatalogue()
      .filter((entry) => entry.built)
      .map(({ status, code, message }) => `error ${status} ${code} ${message}`),
    ...built.flatMap(({ manifest }) => manifest.warnings ?? []).map((code) => `warning ${code}`),
  ];
}

/**
 * Lists what a run of the whole suite got wrong: declared names that no test produced, and exceptions for undeclared names.
 * @param seen names tests produced, as `noteSeen` writes them
 * @param excepted why no test can produce a name, by name
 */
export function unproduced(
  seen: ReadonlySet<string>,
  all: readonly string[] = declared(),
  excepted: Readonly<Record<string, string>> = EXCEPTED,
): string[] {
  const known = new Set(all);
  const isSeen = (one: string): boolean => {
    const [kind, status, , message] = one.split(" ");
    return seen.has(one) || (kind === "error" && seen.has(`error ${status} ${OF_OAUTH} ${message}`));
  };
  return [
    ...all.filter((one) => !isSeen(one) && !Object.hasOwn(excepted, one)).map((one) => `no test produces: ${one}`),
    ...Object.keys(excepted)
      .filter((one) => !known.has(one))
      .map((one) => `excepted, and declared by no module that is built: ${one}`),
  ];
}
