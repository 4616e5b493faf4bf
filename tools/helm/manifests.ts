/** A variable of a container: a literal, or a key of the Secret. */
interface Variable {
  name: string;
  value?: string;
  valueFrom?: { secretKeyRef?: { key: string } };
}

interface Container {
  env?: Variable[];
  securityContext?: {
    allowPrivilegeEscalation?: boolean;
    readOnlyRootFilesystem?: boolean;
    capabilities?: { drop?: string[]; add?: string[] };
  };
  resources?: { limits?: { memory?: string } };
}

export interface PodSpec {
  automountServiceAccountToken?: boolean;
  terminationGracePeriodSeconds?: number;
  securityContext?: { runAsNonRoot?: boolean; runAsUser?: number; seccompProfile?: { type?: string } };
  containers: Container[];
  volumes?: Record<string, unknown>[];
}

/** A rendered manifest, as far as the tests read it. */
export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; labels?: Record<string, string>; annotations?: Record<string, string> };
  data?: Record<string, string>;
  spec?: { template?: { metadata?: unknown; spec: PodSpec } };
}

/** The pods that a manifest leads to, by name. */
export function podsOf(manifest: Manifest): { name: string; spec: PodSpec }[] {
  const { kind, metadata, spec } = manifest;
  const name = `${kind} ${metadata.name}`;
  if (kind === "Pod") return [{ name, spec: spec as unknown as PodSpec }];
  const template = kind === "Deployment" || kind === "Job" ? spec?.template : undefined;
  return template === undefined ? [] : [{ name, spec: template.spec }];
}

/** Keys of the Secret that a manifest's pods read. */
export function secretKeysOf(manifest: Manifest): string[] {
  return podsOf(manifest).flatMap(({ spec }) =>
    spec.containers.flatMap(({ env = [] }) => env.flatMap(({ valueFrom }) => valueFrom?.secretKeyRef?.key ?? [])),
  );
}

/** The restricted Pod Security Standard, and what the chart promises besides: a read-only root and bounded memory. */
export function isRestricted({ automountServiceAccountToken, securityContext, containers, volumes }: PodSpec): boolean {
  const volumesAreAllowed = (volumes ?? []).every((volume) => "emptyDir" in volume || "secret" in volume);
  return (
    automountServiceAccountToken === false &&
    securityContext?.runAsNonRoot === true &&
    securityContext.runAsUser === 1000 &&
    securityContext.seccompProfile?.type === "RuntimeDefault" &&
    volumesAreAllowed &&
    containers.every(
      ({ securityContext: own, resources }) =>
        own?.allowPrivilegeEscalation === false &&
        own.readOnlyRootFilesystem === true &&
        own.capabilities?.drop?.join() === "ALL" &&
        own.capabilities.add === undefined &&
        resources?.limits?.memory !== undefined,
    )
  );
}
