import { queryOptions, useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { bodyOf, type ProjectApi } from "../api/client.ts";
import { ApiProblem } from "../api/problem.ts";
import { useApi } from "../shell/session.tsx";
import { formatBytes } from "../ui/format.ts";
import { findMedia, type MediaReference } from "./media-references.ts";

/** Types that browsers show without running anything; others are links. */
const shownImages = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** While the content is missing: its upload may come after the trace. */
const askAgainMs = 5_000;
const askAgainTimes = 12;

const mediaQuery = (api: ProjectApi, mediaId: string) =>
  queryOptions({
    queryKey: [api.projectId, "media", mediaId],
    queryFn: ({ signal }) => bodyOf(api.GET("/api/v1/media/{mediaId}", { params: { path: { mediaId } }, signal })),
    // The address of the content works for an hour.
    staleTime: 30 * 60_000,
    refetchInterval: ({ state: { data, dataUpdateCount } }) =>
      data?.url === null && dataUpdateCount < askAgainTimes ? askAgainMs : false,
  });

/** The media that a value refers to, below it. */
export function MediaOf({ value }: { value: unknown }) {
  const media = useMemo(() => findMedia(value), [value]);
  if (media.length === 0) return null;
  return (
    <div className="mt-2 flex flex-col gap-2">
      {media.map((one) => (
        <Media key={one.id} reference={one} />
      ))}
    </div>
  );
}

/** One image, recording or file, loaded when it comes into view. */
export function Media({ reference }: { reference: MediaReference }) {
  const place = useRef<HTMLDivElement>(null);
  const isSeen = useIsSeen(place);
  const media = useQuery({ ...mediaQuery(useApi(), reference.id), enabled: isSeen });
  const isGone = media.error instanceof ApiProblem && media.error.status === 404;
  return (
    <div ref={place} className="min-w-0 self-start">
      {media.data?.url != null ? (
        <Content media={media.data} url={pathOf(media.data.url)} />
      ) : media.data !== undefined ? (
        <Note>{reference.contentType}, not uploaded yet</Note>
      ) : isGone ? (
        <Note>{reference.contentType}, not stored here or deleted</Note>
      ) : media.error !== null ? (
        <Note>{reference.contentType}, could not be loaded</Note>
      ) : (
        <div role="status" aria-label="Loading media" className="h-40 w-60 rounded-sm bg-panel" />
      )}
    </div>
  );
}

function Content({
  media: { id, contentType, contentLength },
  url,
}: {
  media: { id: string; contentType: string; contentLength: number };
  url: string;
}) {
  const [isBroken, setBroken] = useState(false);
  const name = `${contentType}, ${formatBytes(contentLength)}`;
  const frame = "max-w-full rounded-sm border border-line";
  const onError = () => setBroken(true);
  if (!isBroken && shownImages.has(contentType)) {
    return <img src={url} alt={name} title={name} className={`max-h-80 ${frame}`} onError={onError} />;
  }
  if (!isBroken && contentType.startsWith("audio/")) {
    // biome-ignore lint/a11y/useMediaCaption: recordings of users have none
    return <audio src={url} controls preload="none" aria-label={name} className="max-w-full" onError={onError} />;
  }
  if (!isBroken && contentType.startsWith("video/")) {
    return (
      // biome-ignore lint/a11y/useMediaCaption: recordings of users have none
      <video
        src={url}
        controls
        preload="metadata"
        aria-label={name}
        className={`max-h-80 ${frame}`}
        onError={onError}
      />
    );
  }
  return (
    <a href={url} download={id} className="inline-flex min-h-8 items-center text-accent max-md:min-h-11">
      Download {name}
    </a>
  );
}

function Note({ children }: { children: ReactNode }) {
  return <span className="rounded-sm border border-line px-1.5 text-xs break-all text-faint">{children}</span>;
}

/** Pages load from their own origin only, whatever name of the installation an answer has. */
function pathOf(url: string): string {
  const { pathname, search } = new URL(url, location.href);
  return pathname + search;
}

/** Whether a place is, or was, near the window. */
function useIsSeen(place: React.RefObject<HTMLElement | null>): boolean {
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    if (place.current === null) return;
    const observer = new IntersectionObserver(
      (entries) => entries.some(({ isIntersecting }) => isIntersecting) && setSeen(true),
      { rootMargin: "200px" },
    );
    observer.observe(place.current);
    return () => observer.disconnect();
  }, [place]);
  return isSeen;
}
