import type { Locale } from "../../config/defaults.ts";
import { shortened } from "../../values/stored-text.ts";
import type { ChannelItem, ChannelMessage } from "./channel.ts";

const MORE: Record<Locale, (count: number) => string> = {
  nl: (count) => `… en nog ${count}`,
  en: (count) => `… and ${count} more`,
};

/**
 * Renders a message as text of at most `most` characters: the title if it has several items, then each item. A last line counts the items
 * that do not fit.
 * @param line renders one item
 * @param sizeOf how the provider counts; UTF-16 code units by default
 */
export function messageText(
  { title, items, locale }: ChannelMessage,
  most: number,
  line: (item: ChannelItem) => string = ({ text, link }) => `${text}\n${link}`,
  sizeOf: (text: string) => number = (text) => text.length,
): string {
  const lines = items.map(line);
  const written: string[] = items.length > 1 ? [title] : [];
  const whole = (rest: number) => [...written, ...(rest > 0 ? [MORE[locale](rest)] : [])].join("\n\n");
  for (const [at, next] of lines.entries()) {
    written.push(next);
    const rest = lines.length - at - 1;
    if (sizeOf(whole(rest)) <= most) continue;
    written.pop();
    return written.length > 0 ? whole(rest + 1) : `${shortened(next, Math.floor(most / 4) - 1)}…`;
  }
  return whole(0);
}
