package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// manifest is what the tests read of a Kubernetes object.
type manifest struct {
	Kind     string
	Metadata struct{ Name string }
	Data     map[string]string
	Spec     struct {
		Replicas    int
		ServiceName string `yaml:"serviceName"`
		ClusterIP   string `yaml:"clusterIP"`
		Template    struct {
			Metadata struct{ Labels map[string]string }
			Spec     struct {
				Containers []struct {
					Ports        []struct{ Name string }
					Args         []string
					Env          []map[string]any
					VolumeMounts []map[string]any `yaml:"volumeMounts"`
				}
			}
		}
	}
}

// manifests are the objects of a file by their kinds, which must be these.
func manifests(t *testing.T, file string, kinds ...string) map[string]manifest {
	t.Helper()
	all := map[string]manifest{}
	d := yaml.NewDecoder(strings.NewReader(readFile(t, "examples/kubernetes/"+file)))
	for {
		var m manifest
		if err := d.Decode(&m); err != nil {
			break
		}
		all[m.Kind] = m
	}
	if got := slices.Sorted(maps.Keys(all)); !slices.Equal(got, kinds) {
		t.Fatalf("%s has objects of the kinds %v, want %v", file, got, kinds)
	}
	return all
}

// kubernetes are the shipped manifests, by their file and the kind that runs pods.
func kubernetes(t *testing.T) map[string]map[string]manifest {
	return map[string]map[string]manifest{
		"Deployment":  manifests(t, "sonde.yaml", "ConfigMap", "Deployment", "Service"),
		"StatefulSet": manifests(t, "shards.yaml", "ConfigMap", "PodDisruptionBudget", "Service", "StatefulSet"),
	}
}

// TestKubernetesFolderLoads writes the files of each ConfigMap into a folder, as Kubernetes does.
func TestKubernetesFolderLoads(t *testing.T) {
	t.Parallel()
	for kind, objects := range kubernetes(t) {
		dir := t.TempDir()
		files := objects["ConfigMap"].Data
		for name, text := range files {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			loadText(t, text)
		}
		if len(files) < 2 && kind == "Deployment" {
			t.Errorf("the ConfigMap has %d files, want more than one, since it is a folder", len(files))
		}
		loadShipped(t, dir)
	}
}

func TestKubernetesArguments(t *testing.T) {
	t.Parallel()
	for kind, objects := range kubernetes(t) {
		for _, c := range objects[kind].Spec.Template.Spec.Containers {
			understood(t, "the "+kind, c.Args)
			for _, mount := range c.VolumeMounts {
				if mount["subPath"] != nil {
					t.Errorf("the %s mounts %v, want no subPath: such a file is never renewed", kind, mount)
				}
			}
		}
	}
}

// TestPodMonitorFindsThePods of both manifests, at the port that they have, as the job that the alerts name.
func TestPodMonitorFindsThePods(t *testing.T) {
	t.Parallel()
	monitor := readFile(t, "examples/kubernetes/podmonitor.yaml")
	manifests(t, "podmonitor.yaml", "PodMonitor")
	for kind, objects := range kubernetes(t) {
		pod := objects[kind].Spec.Template
		if name := pod.Metadata.Labels["app.kubernetes.io/name"]; name == "" || !regexp.MustCompile(`values: \[.*\b`+name+`\b.*\]`).MatchString(monitor) {
			t.Errorf("the PodMonitor does not select %q, the name of the pods of the %s", name, kind)
		}
		if port := pod.Spec.Containers[0].Ports[0].Name; !strings.Contains(monitor, "port: "+port+"\n") {
			t.Errorf("the PodMonitor does not scrape the port %q of the %s", port, kind)
		}
	}
	if job := regexp.MustCompile(`targetLabel: job, replacement: (\w+)`).FindStringSubmatch(monitor); job == nil || !strings.Contains(readFile(t, "examples/prometheus/alerts.yml"), `up{job="`+job[1]+`"}`) {
		t.Errorf("the PodMonitor's job is %q, which SondeGone does not name", job)
	}
}

// TestKubernetesTellsWhatToRun: the command that its comments give for the night is one of sonde's, and names a
// probe of the folder.
func TestKubernetesTellsWhatToRun(t *testing.T) {
	t.Parallel()
	for file, objects := range map[string]map[string]manifest{"sonde.yaml": kubernetes(t)["Deployment"], "shards.yaml": kubernetes(t)["StatefulSet"]} {
		m := regexp.MustCompile(`kubectl exec \S+ -- /sonde (explain /etc/sonde (\S+))`).FindStringSubmatch(readFile(t, "examples/kubernetes/"+file))
		if m == nil {
			t.Fatalf("%s has no command to explain a probe", file)
		}
		understood(t, file, strings.Fields(m[1]))
		if !strings.Contains(strings.Join(slices.Collect(maps.Values(objects["ConfigMap"].Data)), ""), "name: "+m[2]+"\n") {
			t.Errorf("%s explains %s, which none of its files declares", file, m[2])
		}
	}
}

// TestKubernetesShards holds that there are as many pods as shards, that each is told its name, and that
// the Service gives it an address of its own.
func TestKubernetesShards(t *testing.T) {
	t.Parallel()
	objects := kubernetes(t)["StatefulSet"]
	set, service := objects["StatefulSet"], objects["Service"]
	c := set.Spec.Template.Spec.Containers[0]
	if want := fmt.Sprintf("--shard=auto/%d", set.Spec.Replicas); !slices.Contains(c.Args, want) {
		t.Errorf("the arguments are %q, want %s of %d replicas", c.Args, want, set.Spec.Replicas)
	}
	named := slices.ContainsFunc(c.Env, func(e map[string]any) bool {
		return e["name"] == "POD_NAME" && fmt.Sprint(e["valueFrom"]) == "map[fieldRef:map[fieldPath:metadata.name]]"
	})
	if !named {
		t.Errorf("POD_NAME is not that of the pod: %v", c.Env)
	}
	if set.Spec.ServiceName != service.Metadata.Name || service.Spec.ClusterIP != "None" {
		t.Errorf("the StatefulSet is behind %q, and the Service %q has the address %q; want one name, and None", set.Spec.ServiceName, service.Metadata.Name, service.Spec.ClusterIP)
	}
}
