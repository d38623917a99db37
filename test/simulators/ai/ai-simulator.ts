import { type Received, type Reply, Simulator } from "../simulator.ts";

/** The key the simulated providers take. */
export const SIMULATED_KEY = "sk-simulated-0123456789";

/** A tool the model asks for. */
export interface ScriptedCall {
  name: string;
  input: unknown;
}

/** What the model says next. */
export interface Scripted {
  /** In as many pieces as it streams; one where it does not. */
  text?: string | readonly string[];
  calls?: readonly ScriptedCall[];
  tokensIn?: number;
  tokensOut?: number;
  /** What has to come true before the first byte. */
  after?: Promise<unknown>;
  /** What has to come true after each piece. */
  between?: () => Promise<unknown>;
  /** Cuts the connection after so many pieces. */
  breaksAfter?: number;
  /** An error in place of an answer. */
  refuses?: { status: number; message: string; headers?: Record<string, string> };
  /** Ends at the limit of its tokens. */
  cut?: boolean;
  /** Arguments of its calls as the model wrote them, in place of JSON of their input. */
  rawInput?: string;
  /** Cost is not told. */
  silentOnCost?: boolean;
}

/** A question as a model is asked it, whatever the provider's form. */
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

/** What a scripted model costs unless it says otherwise. */
export const USUAL = { tokensIn: 100, tokensOut: 20 } as const;

/** A provider of models that says what a test scripted, or OK, and keeps what it was asked. */
export abstract class AiSimulator extends Simulator {
  readonly key = SIMULATED_KEY;
  readonly script: Scripted[] = [];
  readonly heard: Heard[] = [];
  models: readonly string[] = ["zeta-1", "alpha-2", "mid-3"];
  /** Streams that their caller left, or that were cut. */
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

  /** Has the model say this next, in this order. */
  says(...answers: Scripted[]): void {
    this.script.push(...answers);
  }

  protected next(): Scripted {
    return this.script.shift() ?? { text: "OK" };
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
