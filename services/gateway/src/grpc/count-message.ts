import { constants, type ServerHttp2Stream } from "node:http2";
import { type ServerInterceptingCallInterface, type StatusObject, status } from "@grpc/grpc-js";
import { AppError, type BodyShare, inflateBody, isAppError } from "@touchstone/service-kit";
import { refusalOf, toGrpcStatus } from "./grpc-status.ts";

/** How grpc-js reads a message. It has no API to count one before it is inflated, so these are its internal methods. */
interface MessageReading {
  handleDataFrame(data: Buffer): void;
  decompressMessage(message: Buffer, encoding: string): Buffer | Promise<Buffer>;
  stream: ServerHttp2Stream;
}

export interface MessageBounds {
  share: BodyShare;
  /** Largest message, before and after inflation. */
  maxBytes: number;
  /** The time limit for the whole message and the end of the client's side. */
  arrivalMs: number;
  /** Answers the call. */
  refuse: (thrown: unknown) => void;
}

/** The message prefix: a compression flag and the length. */
const prefixBytes = 5;

/** Runs `release` once the call's stream is closed: after its answer is read, or when either side resets it. */
export function onceClosed(call: ServerInterceptingCallInterface, release: () => void): void {
  const { stream } = call as unknown as MessageReading;
  if (stream.destroyed) release();
  else stream.once("close", release);
}

/** Resets the call's stream if its client does not read the answer in time: the message is held until then. */
export function limitReading(call: ServerInterceptingCallInterface, readMs: number): void {
  const { stream } = call as unknown as MessageReading;
  const timer = setTimeout(() => stream.close(constants.NGHTTP2_CANCEL), readMs);
  onceClosed(call, () => clearTimeout(timer));
}

/**
 * Counts the bytes of a call's message as they arrive and as they are inflated, and ends the call if they exceed the
 * budget: 64 messages of 64 MiB would be four gigabytes. The call also ends if its client does not finish in time, or if
 * the arriving message has to give way to another tenant's.
 */
export function countMessage(call: ServerInterceptingCallInterface, bounds: MessageBounds): void {
  const { share, maxBytes, arrivalMs, refuse } = bounds;
  const reading = call as unknown as MessageReading;
  const { handleDataFrame, stream } = reading;
  let isArriving = true;
  let isRefused = false;
  const endArrival = (): void => {
    isArriving = false;
    clearTimeout(timer);
    share.giveWay(null);
  };
  const end = (thrown: unknown): void => {
    isRefused = true;
    endArrival();
    refuse(thrown);
    // A client that keeps its side open must not keep the stream open.
    stream.close();
  };
  const timer = setTimeout(
    () => end(new AppError("request_timeout", "The request did not arrive in time.")),
    arrivalMs,
  );
  share.giveWay(end);
  stream.once("end", endArrival);
  onceClosed(call, endArrival);
  reading.handleDataFrame = (data) => {
    if (isRefused) return;
    try {
      share.take(data.length);
    } catch (thrown) {
      end(thrown);
      return;
    }
    handleDataFrame.call(reading, data);
  };
  reading.decompressMessage = (message, encoding) => {
    const content = message.subarray(prefixBytes);
    if (encoding === "identity") return content;
    if (encoding !== "gzip" && encoding !== "deflate") {
      return Promise.reject(refused(status.UNIMPLEMENTED, `unsupported message encoding "${encoding}"`));
    }
    // A whole message is not taken back while it is inflated, but afterwards again until the client ends its side.
    share.giveWay(null);
    return inflateBody(content, encoding, maxBytes, share.enter)
      .catch((thrown) => {
        if (!isAppError(thrown)) throw thrown;
        if (thrown.code === "body_too_large") {
          throw refused(status.RESOURCE_EXHAUSTED, `the message is larger than ${maxBytes} bytes`);
        }
        throw thrown.code === "body_unreadable"
          ? refused(status.INVALID_ARGUMENT, `the message is not valid ${encoding} data`)
          : toGrpcStatus(refusalOf(thrown));
      })
      .finally(() => {
        if (isArriving) share.giveWay(end);
      });
  };
}

function refused(code: status, details: string): Partial<StatusObject> {
  return { code, details };
}
