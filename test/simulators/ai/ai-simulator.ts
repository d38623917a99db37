import { type Received, type Reply, Simulator } from "../simulator.ts";

/** The API key that simulated providers accept. */
export const SIMULATED_KEY = "sk-simulated-0123456789";

/** A tool call of the model. */
export interface ScriptedCall {
  name: string;
  input: unknown;
}

/** The model's next response. */
export interface Scripted {
  /** As many pieces as it streams; a single one without streaming. */
  text?: string | readonly string[];
  calls?: readonly ScriptedCall[];
  tokensIn?: number;
  tokensOut?: number;
  /** Awaited before the first byte. */
  after?: Promise<unknown>;
  /** Awaited after each piece. */
  between?: () => Promise<unknown>;
  /** Cuts the connection after this many pieces. */
  breaksAfter?: number;
  /** An error instead of a response. */
  refuses?: { status: number; message: string; headers?: Record<string, string> };
  /** Stops at the token limit. */
  cut?: boolean;
  /** Raw arguments of its calls, instead of their input as JSON. */
  rawInput?: string;
  /** Omits the cost. */
  silentOnCost?: boolean;
}

/** A request to the model, independent of the provider's format. */
export interface Heard {
  model: string;
  system: string;
  /** All turns as JSON text. */
  turns: string;
  tools: string[];
  toolChoice: unknown;
  maxTokens: number;
  streams: boolean;
  raw: Record<string, unknown>;
}

/** Token counts of a scripted response without its own. */
export const USUAL = { tokensIn: 100, tokensOut: 20 } as const;

/** A simulated AI provider that returns what a test scripted, or else OK or a forced tool call, and keeps the requests. */
export abstract class AiSimulator extends Simulator {
  readonly key = SIMULATED_KEY;
  readonly script: Scripted[] = [];
  readonly heard: Heard[] = [];
  models: readonly string[] = ["zeta-1", "alpha-2", "mid-3"];
  /** Number of streams that the caller left or that were cut. */
  left = 0;

  protected override hungUp(_request: Received): void {
    this.left += 1;
  }

  override reset(): void {
    super.reset();
    this.script.length = 0;
    this.heard.length = 0;
    this.left = 0;
  }

  /** Scripts the model's next responses, in this order. */
  says(...answers: Scripted[]): void {
    this.script.push(...answers);
  }

  /** The tool that the last request forces, by its name or as the last of any. */
  #forced(): string | undefined {
    const { toolChoice, tools } = this.heard.at(-1) as Heard;
    const choice = toolChoice as string | { type?: string; name?: string; function?: { name: string } } | undefined;
    if (choice === undefined || choice === "none") return undefined;
    if (typeof choice === "string" || choice.type === "any") return tools.at(-1);
    return choice.name ?? choice.function?.name;
  }

  protected next(): Scripted {
    const name = this.#forced();
    return this.script.shift() ?? (name === undefined ? { text: "OK" } : { calls: [{ name, input: {} }] });
  }

  protected pieces({ text = "" }: Scripted): readonly string[] {
    return typeof text === "string" ? (text === "" ? [] : [text]) : text;
  }

  /** Parts of a stream: a head, one per piece, and a tail. */
  protected parts(scripted: Scripted, head: string, pieces: readonly string[], tail: string): NonNullable<Reply["parts"]> {
    const { after, between, breaksAfter } = scripted;
    const of = (text: string, number: number) => ({
      text,
      goesOn: async () => {
        if (number === 0) await after;
        else await between?.();
        return breaksAfter !== number;
      },
    });
    return [of(head, 0), ...pieces.map((piece, index) => of(piece, index + 1)), { text: tail }];
  }
}
