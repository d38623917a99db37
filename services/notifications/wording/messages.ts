import { localeOf } from "../../../core/config/defaults.ts";
import { newId } from "../../../core/database/model.ts";
import type { ChannelItem, ChannelMessage } from "../../../core/providers/channels/channel.ts";
import { type NotifiedEvent, sentence, severalTitle, testSentence } from "./words.ts";

/** An event as messages report it. */
export interface WordedEvent extends NotifiedEvent {
  entity_type: string;
  entity_id: string;
  /** ISO instant. */
  occurred_at: string;
}

/** The inbox page, as a path on the organisation's own address. */
export const INBOX = "/notifications";

const PLACES: Record<string, (id: string) => string> = {
  task: (id) => `/tasks/${id}`,
  project: (id) => `/projects/${id}`,
  company: (id) => `/companies/${id}`,
  leave_request: (id) => `/leave/requests/${id}`,
  timesheet: () => "/time",
  interaction: (id) => `/interactions/${id}`,
  workspace_connection: () => "/settings/account",
};

/** The page of a record, as a path on the organisation's own address; the inbox for a kind without a page. */
export const pathOf = ({ entity_type, entity_id }: Pick<WordedEvent, "entity_type" | "entity_id">): string =>
  PLACES[entity_type]?.(entity_id) ?? INBOX;

/**
 * Renders everything due for one recipient or channel as one message (platform chapter §5.8): a single event links to its record, several
 * to the inbox.
 * @param base the organisation's own address
 * @param locale of the recipient, or null for the organisation's
 */
export function bundleMessage(
  id: string,
  events: readonly WordedEvent[],
  { base, locale: wanted, organisationLocale }: { base: string; locale: string | null; organisationLocale: string },
): ChannelMessage {
  const locale = localeOf(wanted, organisationLocale);
  const items = events.map((event): ChannelItem => {
    const { event_type, entity_type, entity_id, occurred_at } = event;
    return { text: sentence(event, locale), link: base + pathOf(event), event_type, entity_type, entity_id, occurred_at };
  });
  const [first] = items;
  const single = items.length === 1 && first !== undefined;
  return {
    id,
    locale,
    title: single ? first.text : severalTitle(items.length, locale),
    items,
    link: single ? first.link : base + INBOX,
  };
}

/** The test message of a channel. */
export function testMessage(organisationLocale: string, { base, brand }: { base: string; brand: string }): ChannelMessage {
  const locale = localeOf(null, organisationLocale);
  const [id, text, link] = [newId(), testSentence(brand, locale), base + INBOX];
  const about = { event_type: "test", entity_type: "notification_channel", entity_id: id, occurred_at: new Date().toISOString() };
  return { id, locale, title: text, items: [{ text, link, ...about }], link };
}
