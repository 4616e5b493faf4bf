{{/* Everything of one service. Arguments: root, service. */}}
{{- define "touchstone.service" -}}
{{- $root := .root -}}
{{- $service := .service -}}
{{- $values := get $root.Values.services $service -}}
{{- $name := printf "%s-%s" (include "touchstone.name" $root) $service -}}
{{- $labels := dict "root" $root "component" $service -}}
{{- $settings := include "touchstone.settings" . | trim -}}
{{- $known := $root.Files.Get "files/settings.json" | fromJson -}}
{{- $parsed := $settings | fromYaml -}}
{{- $scales := gt (int $values.max) (int $values.replicas) -}}
{{- $ports := list (dict "name" "http" "port" 4700) -}}
{{- if eq $service "gateway" -}}
{{- range $portName, $setting := dict "otlp-http" "SERVICE_OTLP_HTTP_PORT" "otlp-grpc" "SERVICE_OTLP_GRPC_PORT" -}}
{{- with get $parsed $setting -}}{{- $ports = append $ports (dict "name" $portName "port" (int .)) -}}{{- end -}}
{{- end -}}
{{- end -}}
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ $name }}
  labels:
    {{- include "touchstone.labels" $labels | nindent 4 }}
data:
  {{- $settings | nindent 2 }}
---
apiVersion: v1
kind: Service
metadata:
  name: {{ $name }}
  labels:
    {{- include "touchstone.labels" $labels | nindent 4 }}
spec:
  {{- /* Callers resolve the name to the addresses of all ready pods and choose one themselves (decision 16). */}}
  {{- if ne $service "gateway" }}
  clusterIP: None
  {{- end }}
  selector:
    {{- include "touchstone.selector" $labels | nindent 4 }}
  ports:
    {{- range $ports }}
    - { name: {{ .name }}, port: {{ .port }}, targetPort: {{ .name }} }
    {{- end }}
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ $name }}
  labels:
    {{- include "touchstone.labels" $labels | nindent 4 }}
spec:
  {{- if not $scales }}
  replicas: {{ $values.replicas }}
  {{- end }}
  revisionHistoryLimit: 3
  strategy:
    rollingUpdate: { maxUnavailable: 0, maxSurge: 1 }
  selector:
    matchLabels:
      {{- include "touchstone.selector" $labels | nindent 6 }}
  template:
    metadata:
      labels:
        {{- include "touchstone.labels" $labels | nindent 8 }}
        {{- with $root.Values.podLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      annotations:
        checksum/settings: {{ sha256sum $settings }}
        {{- with $root.Values.podAnnotations }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    spec:
      {{- include "touchstone.pod" $root | nindent 6 }}
      terminationGracePeriodSeconds: {{ add (int (include "touchstone.stopSeconds" .)) 10 }}
      topologySpreadConstraints:
        {{- range list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
        - topologyKey: {{ . }}
          maxSkew: 1
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels:
              {{- include "touchstone.selector" $labels | nindent 14 }}
        {{- end }}
      containers:
        - name: {{ $service }}
          image: {{ include "touchstone.image" $root }}
          imagePullPolicy: {{ $root.Values.image.pullPolicy }}
          args: [services/{{ $service }}/src/main.ts]
          envFrom:
            - configMapRef: { name: {{ $name }} }
          env:
            {{- include "touchstone.secretVariable" (dict "root" $root "name" "SERVICE_INTERNAL_SECRET" "key" "SERVICE_INTERNAL_SECRET") | nindent 12 }}
            {{- if include "touchstone.usesBus" $service }}
            {{- include "touchstone.secretVariable" (dict "root" $root "name" "SERVICE_NATS_PASSWORD" "key" (include "touchstone.ownKey" (dict "prefix" "NATS_" "service" $service "suffix" "_PASSWORD"))) | nindent 12 }}
            {{- end }}
            {{- if has $service (splitList " " (include "touchstone.owners" $root)) }}
            {{- include "touchstone.databasePassword" (dict "root" $root "service" $service) | nindent 12 }}
            {{- end }}
            {{- if and (eq $service "gateway") $root.Values.redis.url }}
            {{- include "touchstone.secretVariable" (dict "root" $root "name" "SERVICE_REDIS_PASSWORD" "key" "REDIS_PASSWORD" "optional" true) | nindent 12 }}
            {{- end }}
            {{- range $setting, $facts := $known }}
            {{- if and $facts.secret (not $facts.chart) (has $service $facts.readers) }}
            {{- include "touchstone.secretVariable" (dict "root" $root "name" $setting "key" $setting "optional" true) | nindent 12 }}
            {{- end }}
            {{- end }}
            {{- include "touchstone.caVariable" $root | nindent 12 }}
          ports:
            {{- range $ports }}
            - { name: {{ .name }}, containerPort: {{ .port }} }
            {{- end }}
          {{- /* A service that migrates at start answers /health/live meanwhile. */}}
          startupProbe:
            httpGet: { path: /health/live, port: http }
            periodSeconds: 1
            failureThreshold: 60
          livenessProbe:
            httpGet: { path: /health/live, port: http }
            periodSeconds: 10
            timeoutSeconds: 5
            failureThreshold: 6
          readinessProbe:
            httpGet: { path: /health/ready, port: http }
            periodSeconds: 5
            timeoutSeconds: 5
            failureThreshold: 2
          resources:
            requests: { cpu: {{ $values.cpu | quote }}, memory: {{ $values.memory }} }
            limits: { memory: {{ $values.memory }} }
          securityContext:
            {{- include "touchstone.containerSecurity" $root | nindent 12 }}
          volumeMounts:
            {{- include "touchstone.mounts" $root | nindent 12 }}
            {{- if and $root.Values.nats.tlsSecret (include "touchstone.usesBus" $service) }}
            - { name: nats, mountPath: /etc/touchstone/nats, readOnly: true }
            {{- end }}
            {{- if and $root.Values.redis.tlsSecret (eq $service "gateway") }}
            - { name: redis, mountPath: /etc/touchstone/redis, readOnly: true }
            {{- end }}
      volumes:
        {{- include "touchstone.volumes" (dict "root" $root "tmp" $values.tmp) | nindent 8 }}
        {{- if and $root.Values.nats.tlsSecret (include "touchstone.usesBus" $service) }}
        - name: nats
          secret: { secretName: {{ $root.Values.nats.tlsSecret }} }
        {{- end }}
        {{- if and $root.Values.redis.tlsSecret (eq $service "gateway") }}
        - name: redis
          secret: { secretName: {{ $root.Values.redis.tlsSecret }} }
        {{- end }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ $name }}
  labels:
    {{- include "touchstone.labels" $labels | nindent 4 }}
spec:
  maxUnavailable: 1
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels:
      {{- include "touchstone.selector" $labels | nindent 6 }}
{{- if $scales }}
---
{{- if $root.Values.keda.enabled }}
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata:
  name: {{ $name }}
  labels:
    {{- include "touchstone.labels" $labels | nindent 4 }}
spec:
  scaleTargetRef: { name: {{ $name }} }
  minReplicaCount: {{ $values.replicas }}
  maxReplicaCount: {{ $values.max }}
  {{- /* KEDA refuses a fallback without a trigger of its own. */}}
  {{- if has $service (list "ingest" "judge" "monitor") }}
  fallback: { failureThreshold: 3, replicas: {{ $values.replicas }} }
  {{- end }}
  triggers:
    - type: cpu
      metricType: Utilization
      metadata: { value: "60" }
    {{- if eq $service "ingest" }}
    - type: prometheus
      metadata:
        serverAddress: {{ $root.Values.keda.prometheusUrl }}
        query: max(service_ingest_queue_depth{namespace={{ $root.Release.Namespace | quote }}})
        threshold: "2000"
    {{- end }}
    {{- if eq $service "judge" }}
    - type: prometheus
      metadata:
        serverAddress: {{ $root.Values.keda.prometheusUrl }}
        {{- /*
        The calls that want a place, over the places of one replica: those that wait, and those in progress, which are the seconds spent
        in calls each second. Waiting ones do not count while a provider asks for fewer: more replicas would send it more.
        */}}
        {{- $in := printf "namespace=%s" ($root.Release.Namespace | quote) }}
        query: >-
          (sum(service_judge_calls_waiting{ {{- $in -}} }) unless on () (sum(increase(service_judge_calls_total{ {{- $in }}, outcome="rate_limited"}[5m])) > 0) or vector(0))
          + (max(sum by (provider) (rate(service_judge_call_duration_seconds_sum{ {{- $in -}} }[2m]))) or vector(0))
        threshold: {{ get $parsed "SERVICE_JUDGE_CONCURRENCY" | default "16" | quote }}
    {{- end }}
    {{- if eq $service "monitor" }}
    - type: prometheus
      metadata:
        serverAddress: {{ $root.Values.keda.prometheusUrl }}
        query: max(service_monitor_checks_due{namespace={{ $root.Release.Namespace | quote }}})
        threshold: "500"
    {{- end }}
{{- else }}
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: {{ $name }}
  labels:
    {{- include "touchstone.labels" $labels | nindent 4 }}
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: {{ $name }} }
  minReplicas: {{ $values.replicas }}
  maxReplicas: {{ $values.max }}
  metrics:
    - type: Resource
      resource:
        name: cpu
        target: { type: Utilization, averageUtilization: 60 }
{{- end }}
{{- end }}
{{- end -}}
