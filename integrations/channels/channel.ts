import type { Locale } from "../../core/config/defaults.ts";

/** One thing that is told. */
export interface ChannelItem {
  /** One line. */
  text: string;
  /** Where it is read, an absolute address. */
  link: string;
  event_type: string;
  entity_type: string;
  entity_id: string;
  /** ISO instant. */
  occurred_at: string;
}

/** Everything a channel is told at once. */
export interface ChannelMessage {
  /** The same in every attempt. */
  id: string;
  locale: Locale;
  /** One line. */
  title: string;
  items: readonly ChannelItem[];
  /** Where all of it is read, an absolute address. */
  link: string;
}

/** What an adapter may use beside the web. */
export interface Outlet {
  /** Sends the message as mail of the organisation. @throws ChannelFailure */
  mail(address: string, message: ChannelMessage): Promise<void>;
  signal?: AbortSignal;
}

/** An address as it was read. */
export interface ChannelAddress {
  stored: string;
  /** What answers show of it (platform chapter §5.6). */
  redacted: string;
  /** What the outbound guard has to see before it is saved; null where no host of the user's own choice is called. */
  web: string | null;
}

/** Why an address cannot be one of its kind: it has the wrong shape, or a scheme nothing here speaks. */
export class ChannelAddressRefused extends Error {
  override name = "ChannelAddressRefused";
  readonly reason: "input" | "blocked";
  constructor(reason: "input" | "blocked") {
    super(`the address of a channel is refused: ${reason}`);
    this.reason = reason;
  }
}

/** A message the other side did not take. The text is one redacted line of at most 500 characters: it may be kept and shown. */
export class ChannelFailure extends Error {
  override name = "ChannelFailure";
  /** Seconds the other side wants to be left alone; null when it named none. */
  readonly retryAfter: number | null;
  constructor(message: string, retryAfter: number | null = null, options?: ErrorOptions) {
    super(message, options);
    this.retryAfter = retryAfter;
  }
}

/** A way for messages to leave the service; the default export of a file `*.adapter.ts` below this folder, or one of a list. */
export interface ChannelAdapter {
  /** Its name in the API. */
  readonly kind: string;
  /** Reads what the provider handed out. @throws ChannelAddressRefused */
  read(typed: string): ChannelAddress;
  /** Hands a message over. @param address as `read` stored it @throws ChannelFailure */
  send(address: string, message: ChannelMessage, outlet: Outlet): Promise<void>;
}
