import type { Locale } from "../../config/defaults.ts";

/** One event in a message. */
export interface ChannelItem {
  /** One line. */
  text: string;
  /** The absolute address of its page. */
  link: string;
  event_type: string;
  entity_type: string;
  entity_id: string;
  /** ISO instant. */
  occurred_at: string;
}

/** One message to a channel. */
export interface ChannelMessage {
  /** The same in every attempt. */
  id: string;
  locale: Locale;
  /** One line. */
  title: string;
  items: readonly ChannelItem[];
  /** The absolute address of the page with all items. */
  link: string;
}

/** What an adapter can use besides HTTP. */
export interface Outlet {
  /** Mails the message on behalf of the organisation. @throws ChannelFailure */
  mail(address: string, message: ChannelMessage): Promise<void>;
  signal?: AbortSignal;
}

/** A parsed address. */
export interface ChannelAddress {
  stored: string;
  /** Its redacted form for answers (platform chapter §5.6). */
  redacted: string;
  /** The address the outbound guard must check before saving; null if no host of the user's choice is called. */
  web: string | null;
}

/** An address that does not suit its kind: it has the wrong form (`input`), or must not be called (`blocked`). */
export class ChannelAddressRefused extends Error {
  override name = "ChannelAddressRefused";
  readonly reason: "input" | "blocked";
  constructor(reason: "input" | "blocked") {
    super(`the address of a channel is refused: ${reason}`);
    this.reason = reason;
  }
}

/** A message the provider did not accept. The text is one redacted line of at most 500 characters, safe to store and show. */
export class ChannelFailure extends Error {
  override name = "ChannelFailure";
  /** Seconds to wait as the provider asks; null if it named none. */
  readonly retryAfter: number | null;
  constructor(message: string, retryAfter: number | null = null, options?: ErrorOptions) {
    super(message, options);
    this.retryAfter = retryAfter;
  }
}

/** A channel for outgoing messages; the default export of a file `*.adapter.ts` below this folder, or one of a list. */
export interface ChannelAdapter {
  /** Its name in the API. */
  readonly kind: string;
  /** Parses the address the provider issued. @throws ChannelAddressRefused */
  read(typed: string): ChannelAddress;
  /** Sends a message. @param address as `read` stored it @throws ChannelFailure */
  send(address: string, message: ChannelMessage, outlet: Outlet): Promise<void>;
}
