import { queueInsert } from "../../../core/database/write.ts";
import { type KnownWords, keyOfWord, recordsOfWords, wordsInBrackets } from "../../../core/impex/known-words.ts";
import { sameName } from "../../../core/impex/matching.ts";
import { type CheckFor, compileBody } from "../../../core/schema/validation.ts";
import { LabelCreate } from "../labels/label-schemas.ts";
import { addStatus } from "../statuses/status-rows.ts";
import { StatusCreate } from "../statuses/status-schemas.ts";
import { TaskLabel } from "../task-models.ts";
import { type NamedStatus, statusNamed } from "./sheet-statuses.ts";

const checkLabel: CheckFor<typeof LabelCreate> = compileBody(LabelCreate, true);
const checkStatus: CheckFor<typeof StatusCreate> = compileBody(StatusCreate, true);
/** The colour of what an import makes. */
const COLOR = "gray";
/** Trello writes a label with its colour. */
const TRELLO_COLOR = / \((?:green|yellow|orange|red|purple|blue|sky|lime|pink|black)(?:_(?:dark|light))?\)$/;

/** The labels that a file may name, also as `[a, b]`, `a, b` and with a colour behind them. */
export function knownLabels(names: readonly string[]): KnownWords {
  const known = new Set(names.map(sameName));
  const has = (word: string) => known.has(sameName(word));
  return {
    has,
    split: (part) => wordsInBrackets(part).map((word) => (has(word) ? word : word.replace(TRELLO_COLOR, ""))),
    create: {
      needs: "tasks.label.write",
      make: (words) =>
        recordsOfWords(words, (name) => ({ name, color: COLOR }), {
          check: checkLabel,
          store(body) {
            queueInsert(TaskLabel, body);
            known.add(sameName(body.name));
          },
        }),
    },
  };
}

/** The statuses that a file may name: a new one is open, and comes after the others. */
export function knownStatuses(statuses: readonly NamedStatus[]): KnownWords {
  const all = [...statuses];
  const bodyOf = (name: string) => {
    const key = keyOfWord(name);
    if (all.some((status) => status.key === key)) return undefined;
    return { key, name, color: COLOR, position: Math.max(-1, ...all.map(({ position }) => position)) + 1 };
  };
  return {
    has: (word) => statusNamed(word, all) !== undefined,
    create: {
      needs: "tasks.status.write",
      make: (words) =>
        recordsOfWords(words, bodyOf, {
          check: checkStatus,
          store(body) {
            addStatus(body);
            all.push({ ...body, is_terminal: false, is_default: false, requires_interaction: false });
          },
        }),
    },
  };
}
