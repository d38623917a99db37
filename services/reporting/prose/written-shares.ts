import type { StandingNumbers } from "./standing-numbers.ts";

/** How far a share or multiple in words may be from a figure: 2 percentage points (workspace-reporting §1.5). */
const MOST_MISSED = 0.02;

/** A share or multiple in words: what it means, of a change (`ratio`) or of a part (`share`). */
interface Written {
  pattern: RegExp;
  ratio?: number;
  share?: number;
}

const words = (...parts: string[]): RegExp => new RegExp(`(?<!\\p{L})(?:${parts.join("|")})(?!\\p{L})`, "giu");

/** Shares and multiples in words of both languages, longest first: `driekwart` before `kwart`. */
const WRITTEN: readonly Written[] = [
  {
    ratio: 2,
    pattern: words(
      "verdubbel(?:d|de|den|t|ing)",
      "doubl(?:ed|es|ing)",
      "twice(?: as)?",
      "(?:het )?dubbele?",
      "double(?: the)?",
      "tweemaal",
    ),
  },
  { ratio: 3, pattern: words("verdrievoudig(?:d|de|t|ing)", "trebl(?:ed|es)", "tripl(?:ed|es|ing|e)", "thrice", "driemaal") },
  { ratio: 4, pattern: words("verviervoudig(?:d|de|t|ing)", "quadrupl(?:ed|es|ing|e)") },
  { ratio: 0.5, pattern: words("gehalveerd", "halveer(?:de|t|den)", "halvering", "halv(?:ed|es|ing)") },
  { share: 0.75, pattern: words("driekwart", "drie kwart", "three[- ]quarters") },
  {
    share: 0.25,
    pattern: words("(?:een|één|ruim|bijna) kwart", "(?:a|one|over a|nearly a) quarter(?=\\s(?:of|more|less|fewer|higher|lower))"),
  },
  { share: 2 / 3, pattern: words("twee ?derde", "two[- ]thirds") },
  {
    share: 1 / 3,
    pattern: words("(?:een|één) derde(?! plek| plaats| keer| kwartaal)", "(?:a|one) third(?=\\s(?:of|more|less|fewer))"),
  },
  { share: 0.5, pattern: words("(?:de|ruim de|bijna de) helft", "half(?=\\s(?:of|the|as))", "(?:a|one) half", "de halve") },
  { share: 0.2, pattern: words("(?:een|één) vijfde deel", "(?:a|one) fifth(?=\\sof)") },
  { share: 0.1, pattern: words("(?:een|één) tiende deel", "(?:a|one) tenth(?=\\sof)") },
];

/** The value of `½` and the like. */
const VULGAR = /[\u00bc-\u00be\u2150-\u215e]/gu;
function vulgarValue(character: string): number {
  const [above = "0", below = "1"] = character.normalize("NFKC").split("\u2044");
  return Number(above) / Number(below);
}

const near = (value: number, standing: readonly number[]): boolean =>
  standing.some((one) => Math.abs(one - value) <= MOST_MISSED + 1e-9);

/** Whether a share is one of the snapshot's, or a change by that share up or down. */
const isShare = (share: number, { percents, ratios }: StandingNumbers): boolean =>
  near(
    share,
    percents.map((one) => one / 100),
  ) || near(share, ratios);

/**
 * Blanks the shares and multiples in words, and the fractions, that the snapshot gives.
 * @returns the rest of the sentence, in its length, and the first one that it does not give, or null
 */
export function writtenShares(sentence: string, standing: StandingNumbers): { rest: string; invented: string | null } {
  let rest = sentence;
  let invented: string | null = null;
  const judge = (pattern: RegExp, isStanding: (found: string) => boolean): void => {
    rest = rest.replace(pattern, (found) => {
      if (!isStanding(found)) invented ??= found.trim();
      return " ".repeat(found.length);
    });
  };
  for (const { pattern, ratio, share } of WRITTEN)
    judge(pattern, () => (ratio !== undefined ? near(ratio, standing.ratios) : isShare(share as number, standing)));
  judge(VULGAR, (found) => isShare(vulgarValue(found), standing));
  return { rest, invented };
}
