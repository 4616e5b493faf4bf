{{/* The names that have most words in common with an unknown one. Arguments: known, name. */}}
{{- define "touchstone.similar" -}}
{{- $words := without (splitList "_" (upper .name)) "SERVICE" -}}
{{- $best := 0 -}}
{{- $names := list -}}
{{- range $candidate, $_ := .known -}}
{{- $common := 0 -}}
{{- range without (splitList "_" $candidate) "SERVICE" -}}
{{- if has . $words -}}{{- $common = add1 $common -}}{{- end -}}
{{- end -}}
{{- if gt (int $common) (int $best) -}}{{- $best = $common -}}{{- $names = list -}}{{- end -}}
{{- if and (gt (int $common) 0) (eq (int $common) (int $best)) -}}{{- $names = append $names $candidate -}}{{- end -}}
{{- end -}}
{{- join ", " (first (chunk 8 $names)) -}}
{{- end -}}

{{/* Refuses values that no installation can work with: all mistakes at once, a sentence each. */}}
{{- define "touchstone.validate" -}}
{{- $mistakes := list -}}
{{- $values := .Values -}}
{{- $known := .Files.Get "files/settings.json" | fromJson -}}
{{- if not $values.image.repository -}}
{{- $mistakes = append $mistakes "image.repository: is needed, such as registry.example.org/touchstone" -}}
{{- end -}}
{{- if not (regexMatch "^https?://[^/]+/?$" $values.publicUrl) -}}
{{- $mistakes = append $mistakes "publicUrl: is needed, such as https://touchstone.example.org" -}}
{{- end -}}
{{- if not (regexMatch "^postgres(ql)?://" $values.postgres.url) -}}
{{- $mistakes = append $mistakes "postgres.url: is needed, such as postgres://postgres:5432/touchstone" -}}
{{- end -}}
{{- if not (regexMatch "^(nats|tls)://" $values.nats.url) -}}
{{- $mistakes = append $mistakes "nats.url: is needed, such as nats://nats:4222" -}}
{{- end -}}
{{- range $name, $url := dict "postgres" $values.postgres.url "nats" $values.nats.url "redis" $values.redis.url -}}
{{- if or (regexMatch "^[a-z+]+://[^/]*:[^/]*@" $url) (regexMatch "[?&]password=" $url) -}}
{{- $mistakes = append $mistakes (printf "%s.url: contains a password; put it into the Secret" $name) -}}
{{- end -}}
{{- end -}}
{{- range $name, $_ := $values.settings -}}
{{- $setting := get $known $name -}}
{{- if not $setting -}}
{{- $similar := include "touchstone.similar" (dict "known" $known "name" $name) -}}
{{- $mistakes = append $mistakes (printf "settings.%s: no such setting%s" $name (ternary (printf "; did you mean %s?" $similar) "" (ne $similar ""))) -}}
{{- else if $setting.chart -}}
{{- $mistakes = append $mistakes (printf "settings.%s: the chart sets it%s" $name (ternary "" (printf "; use %s" $setting.chart) (eq $setting.chart "itself"))) -}}
{{- else if $setting.secret -}}
{{- $mistakes = append $mistakes (printf "settings.%s: is a secret; put it into the Secret %s under this name" $name $values.secrets.existing) -}}
{{- else if not $setting.readers -}}
{{- $mistakes = append $mistakes (printf "settings.%s: no service reads it" $name) -}}
{{- end -}}
{{- end -}}
{{- $otlpHttp := int (get $values.settings "SERVICE_OTLP_HTTP_PORT" | default -1) -}}
{{- $otlpGrpc := int (get $values.settings "SERVICE_OTLP_GRPC_PORT" | default -1) -}}
{{- range $name := list "SERVICE_OTLP_HTTP_PORT" "SERVICE_OTLP_GRPC_PORT" -}}
{{- if and (hasKey $values.settings $name) (has (int (get $values.settings $name)) (list 0 4700)) -}}
{{- $mistakes = append $mistakes (printf "settings.%s: must be a port other than 4700; leave it out to have none" $name) -}}
{{- end -}}
{{- end -}}
{{- if and (gt $otlpHttp 0) (eq $otlpHttp $otlpGrpc) -}}
{{- $mistakes = append $mistakes "settings.SERVICE_OTLP_HTTP_PORT, settings.SERVICE_OTLP_GRPC_PORT: must differ" -}}
{{- end -}}
{{- $auth := toString (get $values.settings "SERVICE_AUTH" | default "disabled") -}}
{{- $open := toString (get $values.settings "SERVICE_ALLOW_UNAUTHENTICATED_NETWORK" | default "false") -}}
{{- if and (ne $auth "enabled") (ne $open "true") -}}
{{- $mistakes = append $mistakes "settings.SERVICE_AUTH: without accounts, everyone who reaches the gateway gets the default project's key. Set it to enabled, or set SERVICE_ALLOW_UNAUTHENTICATED_NETWORK to true" -}}
{{- end -}}
{{- if and $values.ingress.enabled $values.httpRoute.enabled -}}
{{- $mistakes = append $mistakes "ingress.enabled, httpRoute.enabled: choose one of them" -}}
{{- end -}}
{{- if and $values.httpRoute.enabled (not $values.httpRoute.parentRefs) -}}
{{- $mistakes = append $mistakes "httpRoute.parentRefs: is needed; name your Gateway" -}}
{{- end -}}
{{- if and $values.externalSecrets.enabled (or (not $values.externalSecrets.store.name) (not $values.externalSecrets.entry)) -}}
{{- $mistakes = append $mistakes "externalSecrets: needs store.name and entry" -}}
{{- end -}}
{{- if and $values.keda.enabled (not $values.keda.prometheusUrl) -}}
{{- $mistakes = append $mistakes "keda.prometheusUrl: is needed" -}}
{{- end -}}
{{- if $mistakes -}}
{{- fail (printf "the values have mistakes:\n  - %s\n" (join "\n  - " $mistakes)) -}}
{{- end -}}
{{- end -}}
