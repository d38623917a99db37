import { bare } from "../../../core/impex/field.ts";
import { defaultStatus, type StatusRules } from "../statuses/status-moves.ts";

/** A status with its display name. */
export interface NamedStatus extends StatusRules {
  readonly name: string;
}

/** Other tools' words for a task that is waiting, in progress and done, in English, Dutch and German. */
const WORDS = {
  waiting: [
    ...["to do", "todo", "new", "not started", "backlog", "planned", "open", "te doen", "nieuw", "niet gestart", "gepland"],
    ...["offen", "zu erledigen", "neu", "geplant", "nicht begonnen"],
  ],
  doing: ["in progress", "doing", "ongoing", "started", "bezig", "in behandeling", "mee bezig", "in arbeit", "in bearbeitung"],
  done: [
    ...["done", "completed", "complete", "closed", "finished", "resolved", "klaar", "gereed", "afgerond", "voltooid", "gesloten"],
    ...["erledigt", "fertig", "abgeschlossen", "geschlossen"],
  ],
};
const meaning = (word: string): keyof typeof WORDS | undefined =>
  (Object.keys(WORDS) as (keyof typeof WORDS)[]).find((kind) => WORDS[kind].some((one) => bare(one) === bare(word)));

/**
 * The status that a word of a file means: by key, by name, else by common usage: waiting is the default, doing the second open status, done
 * the first finished one. Undefined if it means none.
 */
export function statusNamed(word: string, statuses: readonly NamedStatus[]): string | undefined {
  const own = statuses.find(({ key, name }) => bare(key) === bare(word) || bare(name) === bare(word));
  if (own) return own.key;
  const first = defaultStatus(statuses)?.key;
  switch (meaning(word)) {
    case "waiting":
      return first;
    case "doing":
      return statuses.find(({ key, is_terminal }) => key !== first && !is_terminal)?.key;
    case "done":
      return statuses.find(({ is_terminal }) => is_terminal)?.key;
    default:
      return undefined;
  }
}

/** The accepted words for a status. */
export const wordsOfStatuses = (statuses: readonly NamedStatus[]): string[] => statuses.flatMap(({ key, name }) => [key, name]);
